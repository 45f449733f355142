import { GlobeIcon } from '@radix-ui/react-icons';
import { formatBytes } from '../../ui/format';
import type { Column } from '../../ui/records';
import { Status, Time } from '../../ui/status';
import { type ListedFile, shownName, stateOf } from '../model/file-record';
import { FolderIcon } from './kind-icon';
import { Thumbnail } from './thumbnail';
import styles from '../files.module.css';

export type ListRow = { kind: 'folder'; prefix: string; name: string } | { kind: 'file'; file: ListedFile };

export const keyOfRow = (row: ListRow): string => (row.kind === 'folder' ? `folder ${row.prefix}` : (row.file.id ?? ''));

/** Cell for files only. */
const ofFile = (cell: (file: ListedFile) => React.ReactNode) => (row: ListRow) => (row.kind === 'file' ? cell(row.file) : null);
/** Sorts files by a value; folders stay before them. */
const byFile = (value: (file: ListedFile) => string | number, ofFolder: string | number) => (row: ListRow) =>
  row.kind === 'file' ? value(row.file) : ofFolder;

/** Later than any time. */
const NEVER = '~';

/** Columns of files and folders; names are shown relative to the open folder. */
export const fileColumns = (folder: string): readonly Column<ListRow>[] => [
  {
    word: 'Name',
    served: 'up',
    sortBy: (row) => (row.kind === 'folder' ? `\u0000${row.name}` : shownName(row.file.name, folder)),
    cell: (row) =>
      row.kind === 'folder' ? (
        <>
          <FolderIcon />
          <span className={`truncate ${styles.isolated}`}>{shownName(row.name.replace(/\/$/, ''))}</span>
        </>
      ) : (
        <>
          <Thumbnail of={row.file} />
          <span className={`truncate ${styles.isolated}`} title={shownName(row.file.name)}>
            {shownName(row.file.name, folder)}
          </span>
          {row.file.public && <GlobeIcon className={`muted ${styles.publicMark}`} role="img" aria-label="Public" />}
        </>
      ),
  },
  {
    word: 'Size',
    width: 84,
    room: 'medium',
    isNumber: true,
    served: 'both',
    sortBy: byFile(({ contentLength }) => contentLength ?? -1, -2),
    cell: ofFile(({ contentLength }) =>
      contentLength === null ? <span className="muted small">Empty</span> : formatBytes(contentLength),
    ),
  },
  {
    word: 'Type',
    width: 172,
    room: 'wide',
    sortBy: byFile(({ contentType }) => contentType ?? '', ''),
    cell: ofFile(({ contentType }) => (
      <span className="muted truncate" title={contentType ?? undefined}>
        {contentType}
      </span>
    )),
  },
  {
    word: 'Status',
    width: 104,
    room: 'medium',
    sortBy: byFile(({ status }) => stateOf(status).word, ''),
    cell: ofFile(({ status }) => {
      const { kind, word } = stateOf(status);
      return <Status kind={kind} word={word} />;
    }),
  },
  {
    word: 'Created',
    width: 96,
    isNumber: true,
    sortBy: byFile(({ createdAt }) => createdAt ?? '', ''),
    served: 'both',
    cell: ofFile(({ createdAt }) => createdAt && <Time at={createdAt} />),
  },
  {
    word: 'Modified',
    width: 96,
    room: 'widest',
    isNumber: true,
    sortBy: byFile(({ updatedAt }) => updatedAt ?? '', ''),
    served: 'down',
    cell: ofFile(({ updatedAt }) => updatedAt && <Time at={updatedAt} />),
  },
  {
    word: 'Expires',
    width: 96,
    room: 'widest',
    isNumber: true,
    sortBy: byFile(({ expiresAt }) => expiresAt ?? NEVER, ''),
    served: 'up',
    cell: ofFile(({ expiresAt }) => expiresAt && <Time at={expiresAt} />),
  },
];
