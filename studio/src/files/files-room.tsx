import { BarChartIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { useCallback, useMemo } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { useDescription, useRefusal } from '../api/api-context';
import { useCommands } from '../shell/commands';
import { PageHead } from '../ui/page';
import { NoPermission } from '../ui/states';
import { useFilters } from '../ui/use-search';
import { FileDetail } from './detail/file-detail';
import { FileList } from './list/file-list';
import { mayChange, mayQuery, useStorageUsed } from './model/queries';
import { viewOf, wayTo } from './model/view';
import { StorageDetail } from './storage/storage-detail';
import { DropZone } from './uploads/drop-zone';
import { chooseFiles, UploadActions } from './uploads/upload-actions';
import { useUpload } from './uploads/use-upload';
import { formatBytes, plural } from '../ui/format';
import { shownName } from './model/file-record';
import { FolderActions } from './list/folder-actions';
import styles from './files.module.css';

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

/** Stored bytes, with a link to their history. */
function StorageLink({ href, files, used }: { href: string; files: number; used: number }) {
  const limit = useDescription().limits.find(({ name }) => name === 'storedBytes')?.limit ?? null;
  const isNear = limit !== null && used >= limit * 0.9;
  return (
    <Link href={href} className={`${styles.storageLink} small`} title="Show storage">
      <BarChartIcon aria-hidden />
      <span className={styles.storageWords}>
        {`${plural(files, 'file')}, ${formatBytes(used)}`}
        {limit !== null && ` of ${formatBytes(limit)}`}
        {isNear && ', nearly full'}
      </span>
    </Link>
  );
}

interface BreadcrumbsProps {
  folder: string;
  hrefOf: (prefix: string) => string;
  onDeleted: () => void;
  onMoved: (prefix: string) => void;
}

/** Path to the open folder, and its actions. */
function Breadcrumbs({ folder, hrefOf, onDeleted, onMoved }: BreadcrumbsProps) {
  const way = wayTo(folder);
  return (
    <nav aria-label="Folders" className={styles.breadcrumbs}>
      <ol className="row wrap">
        <li>{folder ? <Link href={hrefOf('')}>All files</Link> : <span aria-current="page">All files</span>}</li>
        {way.map(({ name, prefix }) => (
          <li key={prefix} className="row">
            <ChevronRightIcon aria-hidden className="muted" />
            {prefix === folder ? (
              <span aria-current="page" className={`${styles.isolated} break`}>
                {shownName(name)}
              </span>
            ) : (
              <Link href={hrefOf(prefix)} className={`${styles.isolated} break`}>
                {shownName(name)}
              </Link>
            )}
          </li>
        ))}
        {folder && (
          <li>
            <FolderActions key={folder} folder={folder} onDeleted={onDeleted} onMoved={onMoved} />
          </li>
        )}
      </ol>
    </nav>
  );
}
