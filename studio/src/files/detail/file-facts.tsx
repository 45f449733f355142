import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyText } from '../../ui/copy';
import { formatBytes, formatCount } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Time } from '../../ui/status';
import { type FileRecord, shownName } from '../model/file-record';
import { folderOf } from '../model/view';
import styles from '../files.module.css';

/** All metadata of a file. */
export function FileFacts({ file }: { file: FileRecord }) {
  const { contentLength, etag, checksumSha256, author } = file;
  const copied = (text: string | null, label: string) => (text ? <CopyText text={text} label={label} /> : undefined);
  const folder = folderOf(file.name);
  const fullName = <span className={`break ${styles.isolated}`}>{shownName(file.name)}</span>;
  const comment = file.comment ? <span className={styles.preLine}>{file.comment}</span> : undefined;
  const inParts = etag ? <span className="muted">not available for multipart uploads</span> : undefined;
  const facts: (readonly [string, ReactNode])[] = [
    ['Name', fullName],
    ['Folder', folder && <FolderLink key="folder" id={file.id} folder={folder} />],
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

/** Shows the folder, with the file still open beside it. */
const FolderLink = ({ id, folder }: { id: string; folder: string }) => (
  <Link href={`/${id}?${new URLSearchParams({ folder }).toString()}`} className={`break ${styles.isolated}`}>
    {shownName(folder)}
  </Link>
);

const timeOf = (at: string | null) => (at ? <Time at={at} /> : undefined);

function authorOf({ name, email, profile, id }: NonNullable<FileRecord['author']>): string | undefined {
  return [name, email && `<${email}>`, profile, id && `id ${id}`].filter(Boolean).join(' · ') || undefined;
}
