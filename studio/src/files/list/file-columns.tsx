import { GlobeIcon } from '@radix-ui/react-icons';
import { formatBytes, formatCount, plural } from '../../ui/format';
import type { Column } from '../../ui/records';
import { Status, Time } from '../../ui/status';
import { type ListedFile, shownName, stateOf } from '../model/file-record';
import { type FolderTotals, useFolderTotals } from '../model/queries';
import { FolderIcon } from './kind-icon';
import { Thumbnail } from './thumbnail';
import styles from '../files.module.css';

export type ListRow = { kind: 'folder'; prefix: string; name: string } | { kind: 'file'; file: ListedFile };

export const keyOfRow = (row: ListRow): string => (row.kind === 'folder' ? `folder ${row.prefix}` : (row.file.id ?? ''));

/** Cell of a file; for a folder, that of its totals, or none. */
const ofFile =
  (cell: (file: ListedFile) => React.ReactNode, ofTotals?: (totals: FolderTotals) => React.ReactNode) => (row: ListRow) => {
    if (row.kind === 'file') return cell(row.file);
    return ofTotals && <Totals prefix={row.prefix} cell={ofTotals} />;
  };

function Totals({ prefix, cell }: { prefix: string; cell: (totals: FolderTotals) => React.ReactNode }) {
  const totals = useFolderTotals(prefix);
  return totals && cell(totals);
}

const countOf = ({ files, isMore }: FolderTotals) => (isMore ? `${formatCount(files)}+ files` : plural(files, 'file'));
/** Sorts files by a value; folders stay before them. */
const byFile = (value: (file: ListedFile) => string | number, ofFolder: string | number) => (row: ListRow) =>
  row.kind === 'file' ? value(row.file) : ofFolder;

/** Later than any time. */
const NEVER = '~';

/** Columns of files and folders; names are shown relative to the open folder. */
export const fileColumns = (folder: string): readonly Column<ListRow>[] => [
  {
    word: 'Name',
    line: 'who',
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
    line: 'state',
    isNumber: true,
    served: 'both',
    sortBy: byFile(({ contentLength }) => contentLength ?? -1, -2),
    cell: ofFile(
      ({ contentLength }) =>
        contentLength === null ? (
          <span className="muted small">Empty</span>
        ) : (
          <span className="small">{formatBytes(contentLength)}</span>
        ),
      ({ bytes, isMore }) => !isMore && <span className="small">{formatBytes(bytes)}</span>,
    ),
  },
  {
    word: 'Type',
    width: 172,
    room: 'wide',
    line: 'what',
    sortBy: byFile(({ contentType }) => contentType ?? '', ''),
    cell: ofFile(
      ({ contentType }) => (
        <span className="muted truncate" title={contentType ?? undefined}>
          {contentType}
        </span>
      ),
      (totals) => <span className="muted">{countOf(totals)}</span>,
    ),
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
    line: 'when',
    isNumber: true,
    sortBy: byFile(({ createdAt }) => createdAt ?? '', ''),
    served: 'both',
    cell: ofFile(({ createdAt }) => createdAt && <Time at={createdAt} />),
  },
  {
    word: 'Modified',
    width: 96,
    room: 'wide',
    isNumber: true,
    sortBy: byFile(({ updatedAt }) => updatedAt ?? '', ''),
    served: 'down',
    cell: ofFile(
      ({ updatedAt }) => updatedAt && <Time at={updatedAt} />,
      ({ updatedAt }) => updatedAt && <Time at={updatedAt} />,
    ),
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
  {
    word: 'Reference',
    width: 140,
    room: 'huge',
    sortBy: byFile(({ externalReference }) => externalReference ?? '', ''),
    cell: ofFile(({ externalReference }) => <span className="muted truncate">{externalReference}</span>),
  },
];
