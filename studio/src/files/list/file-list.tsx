import { Checkbox } from '@base-ui/react/checkbox';
import { CheckIcon, MinusIcon } from '@radix-ui/react-icons';
import { useMemo } from 'react';
import { Button } from '../../ui/controls';
import { plural } from '../../ui/format';
import { Records } from '../../ui/records';
import { Empty, ErrorNotice } from '../../ui/states';
import { useFileList, useFolders, useNewCount } from '../model/queries';
import type { View } from '../model/view';
import { useUploadedIds } from '../uploads/upload-store';
import { EmptyFiles } from './empty-files';
import { ChosenActions } from './chosen-actions';
import { keyOfRow, type ListRow, RowContent } from './file-row';
import { type Chosen, useChoice } from './use-choice';

interface FileListProps {
  view: View;
  openId: string | undefined;
  isNarrow: boolean;
  hrefOfFile: (id: string) => string;
  hrefOfFolder: (prefix: string) => string;
  onClearFilters: () => void;
  onUpload: () => void;
  uploadRefusal: string | undefined;
  onDeleted: () => void;
}

export function FileList(props: FileListProps) {
  const { view, openId, isNarrow, hrefOfFile, hrefOfFolder } = props;
  const files = useFileList(view, true);
  const folders = useFolders(view);
  const rows = useMemo<ListRow[]>(
    () => [
      ...folders.items.map(({ name, prefix }): ListRow => ({ kind: 'folder', name: name ?? '', prefix: prefix ?? '' })),
      // The files stand below the last folder, so they come once all folders are there.
      ...(folders.hasMore ? [] : files.items.map((file): ListRow => ({ kind: 'file', file }))),
    ],
    [folders.items, folders.hasMore, files.items],
  );
  const keys = useMemo(() => files.items.map(({ id }) => id ?? ''), [files.items]);
  const chosen = useChoice(keys, JSON.stringify(view.filter));
  const own = useUploadedIds();
  const newCount = useNewCount(view, files.items, own, !files.isPending && !files.error);
  const isPending = files.isPending || (view.hasFolders && folders.isPending);
  const error = files.error ?? (view.hasFolders ? folders.error : null);
  if (error && rows.length === 0) {
    const again = () => {
      files.readAgain();
      if (view.hasFolders) folders.readAgain();
    };
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried="read the files" onRetry={again} />
      </div>
    );
  }
  return (
    <div className="file-list">
      {files.items.length > 0 && (
        <div className={chosen.ids.size > 0 ? 'list-head small chosen' : 'list-head small'}>
          <ChooseAll chosen={chosen} count={keys.length} hasMore={files.hasMore} />
          <ChosenActions chosen={chosen} files={files.items} onDeleted={props.onDeleted}>
            <ColumnNames isNarrow={isNarrow} />
          </ChosenActions>
        </div>
      )}
      <Records
        label="Files"
        items={isPending ? [] : rows}
        keyOf={keyOfRow}
        hrefOf={(row) => (row.kind === 'folder' ? hrefOfFolder(row.prefix) : hrefOfFile(row.file.id ?? ''))}
        openKey={openId}
        hasMore={folders.hasMore || files.hasMore}
        onMore={folders.hasMore ? folders.readMore : files.readMore}
        isLoading={isPending || files.isLoading || (view.hasFolders && folders.isLoading)}
        newCount={newCount}
        onShowNew={files.readAgain}
        choice={chosen}
        empty={<Nothing {...props} />}
      >
        {(row) => (
          <RowContent
            row={row}
            folder={view.folder}
            isChosen={row.kind === 'file' && chosen.isChosen(row.file.id ?? '')}
            isNarrow={isNarrow}
          />
        )}
      </Records>
    </div>
  );
}

function Nothing({ view, onClearFilters, onUpload, uploadRefusal }: FileListProps) {
  if (view.isFiltered) {
    return (
      <Empty
        title={view.folder ? `No file below ${view.folder} matches` : 'No file matches'}
        action={<Button onClick={onClearFilters}>Clear the filters</Button>}
      >
        <p className="muted">Names are compared from their beginning, with capitals and small letters as they are.</p>
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
  const label = `Choose all ${plural(count, 'file')}${hasMore ? ' loaded so far' : ''}`;
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

function ColumnNames({ isNarrow }: { isNarrow: boolean }) {
  return (
    <>
      <span className="kind-icon" />
      <span className="grow">Name</span>
      {!isNarrow && (
        <>
          <span className="column size number">Size</span>
          <span className="column type">Type</span>
          <span className="column state">Status</span>
          <span className="column created">Created</span>
        </>
      )}
    </>
  );
}
