import { GlobeIcon } from '@radix-ui/react-icons';
import { RecordBox } from '../../ui/records';
import { formatBytes } from '../../ui/format';
import { Status, Time } from '../../ui/status';
import { type FileRow, shownName, stateOf } from '../model/file-record';
import { FolderIcon, KindIcon } from './kind-icon';

export type ListRow = { kind: 'folder'; prefix: string; name: string } | { kind: 'file'; file: FileRow };

export const keyOfRow = (row: ListRow): string => (row.kind === 'folder' ? `folder ${row.prefix}` : (row.file.id ?? ''));

interface RowProps {
  row: ListRow;
  folder: string;
  isChosen: boolean;
  /** Name and time only, where the window or the list is narrow. */
  isNarrow: boolean;
}

export function RowContent({ row, folder, isChosen, isNarrow }: RowProps) {
  if (row.kind === 'folder') {
    return (
      <>
        <span className="record-box" aria-hidden />
        <FolderIcon />
        <span className="grow truncate isolated">{shownName(row.name.replace(/\/$/, ''))}</span>
        <span className="muted small">Folder</span>
      </>
    );
  }
  const { name, contentType, contentLength, status, createdAt, public: isPublic } = row.file;
  const state = stateOf(status);
  const size = contentLength === null ? undefined : formatBytes(contentLength);
  const title = (
    <>
      <span className="truncate isolated" title={shownName(name)}>
        {shownName(name, folder)}
      </span>
      {isPublic && <GlobeIcon className="muted public-mark" role="img" aria-label="Public" />}
    </>
  );
  if (isNarrow) {
    return (
      <>
        <RecordBox isChosen={isChosen} />
        <KindIcon contentType={contentType} />
        <span className="grow row">{title}</span>
        {status !== 'done' && <Status kind={state.kind} word={state.word} />}
        <span className="muted small">{createdAt && <Time at={createdAt} />}</span>
      </>
    );
  }
  return (
    <>
      <RecordBox isChosen={isChosen} />
      <KindIcon contentType={contentType} />
      <span className="grow row">{title}</span>
      <span className="column size number">{size ?? <span className="muted">no content</span>}</span>
      <span className="column type muted truncate" title={contentType ?? undefined}>
        {contentType}
      </span>
      <span className="column state">
        <Status kind={state.kind} word={state.word} />
      </span>
      <span className="column created muted">{createdAt && <Time at={createdAt} />}</span>
    </>
  );
}
