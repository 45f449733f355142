import { UploadIcon } from '@radix-ui/react-icons';
import { type ReactNode, useMemo } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { type Listing, ListPage } from '../../ui/list-page';
import { Empty } from '../../ui/states';
import { type Chosen, useChoice } from '../../ui/use-choice';
import { type FileRow, STATES } from '../model/file-record';
import { mayChange, useFileList, useFolders, useNewCount } from '../model/queries';
import type { View } from '../model/view';
import { useUploadedIds } from '../uploads/upload-store';
import { useChosenActions } from './chosen-actions';
import { fileColumns, keyOfRow, type ListRow } from './file-columns';
import { useFileRowActions } from './file-row-actions';
import { FolderTree } from './folder-tree';
import { type Dragged, draggedIn, mayDropOn, startDrag } from './dragged';
import { useDrop } from './use-move';
import { Snippet } from '../../ui/copy';
import { curl } from '../../ui/sample';
import { type Filter, FilterBar } from '../../ui/filter-bar';

interface FileListProps {
  view: View;
  openId: string | undefined;
  /** Reason why the key may not list files. */
  refusal: string | undefined;
  mayReadFolders: boolean;
  hrefOfFile: (id: string) => string;
  hrefOfFolder: (prefix: string) => string;
  onOpenFolder: (prefix: string) => void;
  onClearFilters: () => void;
  onUpload: () => void;
  uploadRefusal: string | undefined;
  onDeleted: () => void;
  detail: ReactNode;
}

/** Folders and files of a view, with the open one. */
export function FileList(props: FileListProps) {
  const { view, openId, refusal, mayReadFolders, hrefOfFile, hrefOfFolder, onOpenFolder, onDeleted, detail } = props;
  const files = useFileList(view, !refusal);
  const folders = useFolders(view);
  const isPending = files.isPending || folders.isPending;
  const rows = useMemo<ListRow[]>(
    () =>
      isPending
        ? []
        : [
            ...folders.items.map(({ name, prefix }): ListRow => ({ kind: 'folder', name: name ?? '', prefix: prefix ?? '' })),
            // Files follow the last folder, so they are shown once all folders are loaded.
            ...(folders.hasMore ? [] : files.items.map((file): ListRow => ({ kind: 'file', file }))),
          ],
    [isPending, folders.items, folders.hasMore, files.items],
  );
  const chosen = useChoice<FileRow>({ list: files, keyOf: ({ id }) => id ?? '', item: 'file', filter: view.filter });
  const actions = useChosenActions({ folder: view.folder, chosen, onDeleted });
  const drop = useDrop();
  const moveRefusal = useRefusal(mayChange('moveFiles'));
  const own = useUploadedIds();
  const newCount = useNewCount(view, files.items, own, !refusal && view.order === 'NEWEST' && !files.isPending && !files.error);
  const { actionsOf, question } = useFileRowActions((id) => {
    if (id === openId) onDeleted();
  });
  const columns = useMemo(() => fileColumns(view.folder), [view.folder]);
  const list = {
    items: rows,
    error: files.error ?? folders.error,
    hasMore: folders.hasMore || files.hasMore,
    isLoading: isPending || files.isLoading || folders.isLoading,
    readMore: folders.hasMore ? folders.readMore : files.readMore,
    readAgain: () => {
      files.readAgain();
      if (view.hasFolders) folders.readAgain();
    },
    newCount,
    showNew: files.readAgain,
    readAll: files.readAll,
  };
  return (
    <>
      {question}
      <ListPage
        refusal={refusal}
        tried="list files"
        label="Files"
        list={list}
        keyOf={keyOfRow}
        hrefOf={(row) => (row.kind === 'folder' ? hrefOfFolder(row.prefix) : hrefOfFile(row.file.id ?? ''))}
        openKey={openId}
        columns={columns}
        filters={<FileFilters key={view.folder} list={list} hasFolders={mayReadFolders && !view.isFiltered} />}
        choice={{
          ...chosen,
          mayChoose: ({ kind }) => kind === 'file',
          actions,
        }}
        actionsOf={actionsOf}
        drag={
          moveRefusal
            ? undefined
            : {
                start: (row, event) => startDrag(event, draggedOf(row, chosen)),
                isTarget: (row, event) => row.kind === 'folder' && mayDropOn(event, row.prefix),
                drop: (row, event) => {
                  const dragged = draggedIn(event);
                  if (dragged && row.kind === 'folder') drop(dragged, row.prefix);
                  chosen.clear();
                },
              }
        }
        aside={
          mayReadFolders && (
            <FolderTree key={view.folder} value={view.folder} onChoose={onOpenFolder} onDrop={moveRefusal ? undefined : drop} />
          )
        }
        empty={<Nothing {...props} />}
        detail={detail}
      />
    </>
  );
}

function Nothing({ view, onClearFilters, onUpload, uploadRefusal }: FileListProps) {
  if (view.isFiltered) {
    return (
      <Empty
        title={view.folder ? `No files in ${view.folder} match` : 'No files match'}
        action={<Button onClick={onClearFilters}>Clear filters</Button>}
      >
        {!view.filter.contains && <p className="muted">Enter at least 3 characters to search inside names.</p>}
      </Empty>
    );
  }
  return <EmptyFiles folder={view.folder} onUpload={onUpload} refusal={uploadRefusal} />;
}

/** Returns what a drag of a row moves: all selected files, if it is one of them. */
function draggedOf(row: ListRow, chosen: Chosen<FileRow>): Dragged {
  if (row.kind === 'folder') return { folder: row.prefix };
  const id = row.file.id ?? '';
  return { ids: chosen.isChosen(id) ? chosen.items.map((file) => file.id ?? '') : [id] };
}

/** Help for the first file. */
function EmptyFiles({ folder, onUpload, refusal }: { folder: string; onUpload: () => void; refusal: string | undefined }) {
  const { prefix } = useDescription();
  const name = `${folder}hello.txt`;
  const code = [
    `# Set KEY to the key that begins with ${prefix}`,
    `URL=$(${curl('file-management', `mutation { createFile(input: {name: ${JSON.stringify(name)}}) { uploadUrl } }`)} |`,
    '  jq -r .data.createFile.uploadUrl)',
    `curl -X PUT -H 'content-type: text/plain' -d 'Hello, file' "$URL"`,
  ].join('\n');
  return (
    <Empty
      title={folder ? `${folder} has no files` : 'No files yet'}
      action={
        <Button look="primary" refusal={refusal} onClick={onUpload}>
          <UploadIcon aria-hidden />
          Upload files
        </Button>
      }
      sample={<Snippet code={code} label="upload request" />}
    >
      <p className="muted">Drop files or folders anywhere on this page, or upload with the API.</p>
    </Empty>
  );
}

const FILTERS: readonly Filter[] = [
  { kind: 'choice', name: 'status', word: 'Status', values: STATES.map(({ status, word }) => [status, word]) },
  { kind: 'time', word: 'Created', from: 'from', to: 'to' },
];
/** A filter searches everything below the open folder. */
const WITH_FOLDERS: readonly Filter[] = [...FILTERS, { kind: 'flag', name: 'below', word: 'Include subfolders' }];

/** Filters of the files below the open folder. */
const FileFilters = ({ list, hasFolders }: { list: Listing<unknown>; hasFolders: boolean }) => (
  <FilterBar
    search={{ name: 'name', label: 'Name or ID' }}
    filters={hasFolders ? WITH_FOLDERS : FILTERS}
    list={list}
    counted={['item', 'items']}
  />
);
