import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyText } from '../../ui/copy';
import { formatBytes, formatCount } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Time } from '../../ui/status';
import { type FileRecord, shownName } from '../model/file-record';
import { folderOf, wayTo } from '../model/view';
import styles from '../files.module.css';

/** All metadata of a file. */
export function FileFacts({ file }: { file: FileRecord }) {
  const { contentLength, etag, checksumSha256, author } = file;
  const copied = (text: string | null, label: string) => (text ? <CopyText text={text} label={label} /> : undefined);
  const comment = file.comment ? <span className={styles.preLine}>{file.comment}</span> : undefined;
  const inParts = etag ? <span className="muted">not available for multipart uploads</span> : undefined;
  const facts: (readonly [string, ReactNode])[] = [
    ['Name', <PathOf key="name" file={file} />],
    ['Type', file.contentType ?? undefined],
    ['Size', contentLength === null ? undefined : `${formatBytes(contentLength)} (${formatCount(contentLength)} bytes)`],
    ['Created', timeOf(file.createdAt)],
    ['Modified', timeOf(file.updatedAt)],
    ['Expires', timeOf(file.expiresAt) ?? 'never'],
    ['Reference', copied(file.externalReference, 'Copy reference')],
    ['Comment', comment],
    ['Author', author ? authorOf(author) : undefined],
    ['SHA-256', copied(checksumSha256, 'Copy SHA-256') ?? inParts],
    ['ETag', copied(etag, 'Copy ETag')],
  ];
  return (
    <section className="stack tight" aria-label="Details">
      <h3>Details</h3>
      <Facts of={facts} />
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

const timeOf = (at: string | null) => (at ? <Time at={at} /> : undefined);

function authorOf({ name, email, profile, id }: NonNullable<FileRecord['author']>): string | undefined {
  return [name, email && `<${email}>`, profile, id && `id ${id}`].filter(Boolean).join(' · ') || undefined;
}
