import { useCallback, useMemo } from 'react';
import { useLocation, useRoute } from 'wouter';
import { useRefusal } from '../api/api-context';
import { useCommands } from '../shell/commands';
import { PageHead } from '../ui/page';
import { NoPermission } from '../ui/states';
import { useFilters } from '../ui/use-search';
import { FileDetail } from './detail/file-detail';
import { Breadcrumbs } from './list/breadcrumbs';
import { FileList } from './list/file-list';
import { useStorageUsed } from './model/queries';
import { mayChange, mayQuery } from './model/rights';
import { viewOf, wayTo } from './model/view';
import { StorageDetail } from './storage/storage-detail';
import { StorageLink } from './storage/storage-link';
import { DropZone } from './uploads/drop-zone';
import { chooseFiles, UploadActions } from './uploads/upload-actions';
import { useUpload } from './uploads/use-upload';

const STORAGE = 'storage';

/** Files of the tenant: folders and files, with the open one. */
export function FilesRoom() {
  const [filters, change] = useFilters();
  const [, navigate] = useLocation();
  const [, open] = useRoute('/:id');
  const openId = open?.id;
  const readRefusal = useRefusal(mayQuery('files'));
  const foldersRefusal = useRefusal(mayQuery('fileFolders'));
  const uploadRefusal = useRefusal(mayChange('createFile'));
  const storageRefusal = useRefusal(mayQuery('storageUsed'));
  const { data: used } = useStorageUsed(!storageRefusal);
  const view = useMemo(() => viewOf(filters, !foldersRefusal), [filters, foldersRefusal]);
  const [upload, question] = useUpload();
  const search = new URLSearchParams(filters).toString();
  const withSearch = (path: string) => (search ? `${path}?${search}` : path);
  const hrefOfFolder = (prefix: string) => (prefix ? `/?${new URLSearchParams({ folder: prefix }).toString()}` : '/');
  const close = () => navigate(withSearch('/'));
  const showStorage = useCallback(() => navigate(`/${STORAGE}`), [navigate]);
  useCommands(useMemo(() => [{ id: 'files storage', group: 'Files', word: 'Show storage', run: showStorage }], [showStorage]));
  const clear = () => change({ name: undefined, status: undefined, from: undefined, to: undefined });
  return (
    <div className="page files">
      {question}
      <DropZone folder={view.folder} refusal={uploadRefusal} onDrop={(picked) => upload(picked, view.folder)} />
      <PageHead
        title="Files"
        actions={
          <UploadActions
            folder={view.folder}
            refusal={uploadRefusal}
            onPick={upload}
            onOpenFolder={(prefix) => navigate(hrefOfFolder(prefix))}
          />
        }
      >
        {used && <StorageLink href={withSearch(`/${STORAGE}`)} files={used.fileCount ?? 0} used={used.fileSize ?? 0} />}
      </PageHead>
      {readRefusal && !openId ? (
        <NoPermission what="list files" refusal={readRefusal} />
      ) : (
        <>
          <Breadcrumbs
            folder={view.folder}
            hrefOf={hrefOfFolder}
            onMoved={(prefix) => navigate(hrefOfFolder(prefix))}
            onDeleted={() => navigate(hrefOfFolder(wayTo(view.folder).at(-2)?.prefix ?? ''))}
          />
          <FileList
            view={view}
            openId={openId}
            refusal={readRefusal}
            mayReadFolders={!foldersRefusal}
            hrefOfFile={(id) => withSearch(`/${id}`)}
            hrefOfFolder={hrefOfFolder}
            onOpenFolder={(prefix) => navigate(hrefOfFolder(prefix))}
            onClearFilters={clear}
            onUpload={chooseFiles}
            uploadRefusal={uploadRefusal}
            onDeleted={close}
            detail={
              openId &&
              (openId === STORAGE ? <StorageDetail onClose={close} /> : <FileDetail key={openId} id={openId} onClose={close} />)
            }
          />
        </>
      )}
    </div>
  );
}
