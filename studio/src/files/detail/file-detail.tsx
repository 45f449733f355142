import { GlobeIcon } from '@radix-ui/react-icons';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { NoDetail } from '../../ui/no-detail';
import { Detail, Facts, Sides } from '../../ui/page';
import { NoPermission } from '../../ui/states';
import { Status } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { ADDRESS_SECONDS, baseName, type FileRecord, shownName, stateOf } from '../model/file-record';
import { mayChange, mayQuery, useFile } from '../model/queries';
import { folderOf, wayTo } from '../model/view';
import { Attributes } from './edit/attributes';
import { ContentPreview } from './preview/content-preview';
import { EditModal, FileActions } from './file-actions';
import { type Lifetime, Sharing } from './sharing';
import { Button } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { formatBytes, formatCount, formatTime } from '../../ui/format';
import styles from '../files.module.css';

/** One file, beside the list. */
export function FileDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const refusal = useRefusal(mayQuery('file'));
  const query = useFile(id, !refusal);
  const { data: file } = query;
  const [seconds, setSeconds] = useState<number>(ADDRESS_SECONDS);
  useOwnFolder(file?.name ?? '');
  if (file) {
    return (
      <Detail
        title={baseName(file.name)}
        onClose={onClose}
        actions={<FileActions file={file} seconds={seconds} onDeleted={onClose} />}
      >
        <FileBody file={file} seconds={seconds} onSeconds={setSeconds} />
      </Detail>
    );
  }
  if (!refusal) return <NoDetail word="file" query={query} onClose={onClose} />;
  return (
    <Detail title="File" onClose={onClose}>
      <NoPermission what="view files" refusal={refusal} />
    </Detail>
  );
}

/** Shows the folder of a file that was opened by a link without one. */
function useOwnFolder(name: string): void {
  const refusal = useRefusal(mayQuery('fileFolders'));
  const [filters, change] = useFilters();
  const folder = refusal ? '' : folderOf(name);
  const isAnyShown = VIEWS.some((filter) => filters[filter]);
  useEffect(() => {
    if (folder && !isAnyShown) change({ folder });
  }, [folder, isAnyShown, change]);
}

/** URL parameters that select the listed files. */
const VIEWS = ['folder', 'below', 'name', 'status', 'from', 'to'];

function FileBody({ file, ...lifetime }: { file: FileRecord } & Lifetime) {
  const refusal = useRefusal(mayChange('updateFile'));
  const { kind, word } = stateOf(file.status);
  return (
    <>
      <div className="row wrap">
        <Status kind={kind} word={word} />
        {file.public && (
          <span className="status info">
            <GlobeIcon aria-hidden width={14} height={14} />
            Public
          </span>
        )}
        <span className="muted small">
          {[file.contentType, file.contentLength !== null && formatBytes(file.contentLength)].filter(Boolean).join(' · ')}
        </span>
      </div>
      {file.status === 'error' && (
        <div className="notice bad" role="note">
          <div className={`stack ${styles.none} grow`}>
            <strong>The last upload failed.</strong>
            <span className="break">
              {file.error?.message} {file.error?.code && <code>{file.error.code}</code>}
            </span>
          </div>
        </div>
      )}
      <Sides
        first={<Contents file={file} />}
        second={
          <>
            <Sharing file={file} refusal={refusal} {...lifetime} />
            <FileFacts file={file} refusal={refusal} />
            <Attributes file={file} refusal={refusal} />
          </>
        }
      />
    </>
  );
}

function Contents({ file }: { file: FileRecord }) {
  if (file.status === 'expired') return <p className="preview none muted">This file expired and its content was removed.</p>;
  if (!file.etag)
    return <p className="preview none muted">No content yet. Upload it from the menu above, or PUT it to the upload URL.</p>;
  return <ContentPreview file={file} />;
}

/** Size with a unit, and in bytes where that says more. */
const sizeOf = (bytes: number) => (bytes < 1_000 ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatCount(bytes)} bytes)`);

/** All metadata of a file. */
function FileFacts({ file, refusal }: { file: FileRecord; refusal: string | undefined }) {
  const [isEditing, setEditing] = useState(false);
  const { contentLength, etag, checksumSha256, author } = file;
  const copied = (text: string | null, label: string) => (text ? <CopyText text={text} label={label} /> : undefined);
  const comment = file.comment ? <span className={styles.preLine}>{file.comment}</span> : undefined;
  const inParts = etag ? <span className="muted">not available for multipart uploads</span> : undefined;
  const facts: (readonly [string, ReactNode])[] = [
    ['Name', <PathOf key="name" file={file} />],
    ['Type', file.contentType ?? undefined],
    ['Size', contentLength === null ? undefined : sizeOf(contentLength)],
    ['Created', timeOf(file.createdAt)],
    ['Modified', timeOf(file.updatedAt)],
    ['Expires', timeOf(file.expiresAt) ?? 'Never'],
    ['Reference', copied(file.externalReference, 'Copy reference')],
    ['Comment', comment],
    ['Author', author ? authorOf(author) : undefined],
    ['SHA-256', copied(checksumSha256, 'Copy SHA-256') ?? inParts],
    ['ETag', copied(etag, 'Copy ETag')],
  ];
  return (
    <section className="stack tight" aria-label="Details">
      <div className="row">
        <h3 className="grow">Details</h3>
        <Button size="small" aria-label="Edit details" refusal={refusal} onClick={() => setEditing(true)}>
          Edit
        </Button>
      </div>
      <Facts of={facts} />
      {isEditing && <EditModal file={file} onClose={() => setEditing(false)} />}
    </section>
  );
}

/** Name of a file, in which each folder opens, with the file still beside it. */
function PathOf({ file: { id, name } }: { file: FileRecord }) {
  const folder = folderOf(name);
  return (
    <span className={`break ${styles.isolated} ${styles.path}`}>
      {wayTo(folder).map(({ name: part, prefix }) => (
        <span key={prefix}>
          <Link href={`/${id}?${new URLSearchParams({ folder: prefix }).toString()}`}>{shownName(part)}</Link> /{' '}
        </span>
      ))}
      {shownName(name, folder)}
    </span>
  );
}

const timeOf = (at: string | null) => (at ? formatTime(at) : undefined);

function authorOf({ name, email, profile, id }: NonNullable<FileRecord['author']>): string | undefined {
  return [name, email && `<${email}>`, profile, id && `id ${id}`].filter(Boolean).join(' · ') || undefined;
}
