import { Checkbox } from '@base-ui/react/checkbox';
import { CheckIcon, MinusIcon } from '@radix-ui/react-icons';
import { type ReactNode, useMemo } from 'react';
import { Button } from '../../ui/controls';
import { plural } from '../../ui/format';
import { ListPage } from '../../ui/list-page';
import { Empty } from '../../ui/states';
import { useFileList, useFolders, useNewCount } from '../model/queries';
import type { View } from '../model/view';
import { useUploadedIds } from '../uploads/upload-store';
import { EmptyFiles } from './empty-files';
import { useChosenActions } from './chosen-actions';
import { fileColumns, keyOfRow, type ListRow } from './file-columns';
import { FileFilters } from './file-filters';
import { useFileRowActions } from './file-row-actions';
import { type Chosen, useChoice } from './use-choice';

interface FileListProps {
  view: View;
  openId: string | undefined;
  /** Reason why the key may not list files. */
  refusal: string | undefined;
  mayReadFolders: boolean;
  hrefOfFile: (id: string) => string;
  hrefOfFolder: (prefix: string) => string;
  onClearFilters: () => void;
  onUpload: () => void;
  uploadRefusal: string | undefined;
  onDeleted: () => void;
  detail: ReactNode;
}

/** Folders and files of a view, with the open one. */
export function FileList(props: FileListProps) {
  const { view, openId, refusal, mayReadFolders, hrefOfFile, hrefOfFolder, onDeleted, detail } = props;
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
  const keys = useMemo(() => files.items.map(({ id }) => id ?? ''), [files.items]);
  const chosen = useChoice(keys, JSON.stringify(view.filter));
  const actions = useChosenActions({ folder: view.folder, chosen, files: files.items, onDeleted });
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
          all: <ChooseAll chosen={chosen} count={keys.length} hasMore={files.hasMore} />,
          actions,
        }}
        actionsOf={actionsOf}
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
        <p className="muted">Enter at least 3 characters to search inside names.</p>
      </Empty>
    );
  }
  return <EmptyFiles folder={view.folder} onUpload={onUpload} refusal={uploadRefusal} />;
}

interface ChooseAllProps {
  chosen: Chosen;
  count: number;
  hasMore: boolean;
}

function ChooseAll({ chosen, count, hasMore }: ChooseAllProps) {
  const isAll = chosen.ids.size > 0 && chosen.ids.size >= count;
  const label = `Select all ${plural(count, 'file')}${hasMore ? ' loaded so far' : ''}`;
  return (
    <Checkbox.Root
      className="record-box"
      aria-label={label}
      title={label}
      checked={isAll}
      indeterminate={chosen.ids.size > 0 && !isAll}
      onCheckedChange={() => (isAll ? chosen.clear() : chosen.chooseAll())}
    >
      <span className={chosen.ids.size > 0 ? 'box chosen' : 'box'}>
        <Checkbox.Indicator>{isAll ? <CheckIcon /> : <MinusIcon />}</Checkbox.Indicator>
      </span>
    </Checkbox.Root>
  );
}
