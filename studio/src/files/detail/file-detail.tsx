import { GlobeIcon } from '@radix-ui/react-icons';
import { useEffect } from 'react';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Detail, Sides } from '../../ui/page';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { Status } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { baseName, type FileRecord, stateOf } from '../model/file-record';
import { useFile } from '../model/queries';
import { mayChange, mayQuery } from '../model/rights';
import { folderOf } from '../model/view';
import { Attributes } from './edit/attributes';
import { ContentPreview } from './preview/content-preview';
import { FileActions } from './file-actions';
import { FileFacts } from './file-facts';
import { Sharing } from './sharing';
import styles from '../files.module.css';

/** One file, beside the list. */
export function FileDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const refusal = useRefusal(mayQuery('file'));
  const { data: file, error, isPending, refetch } = useFile(id, !refusal);
  useOwnFolder(file?.name ?? '');
  if (file) {
    return (
      <Detail title={baseName(file.name)} onClose={onClose} actions={<FileActions key={id} file={file} onDeleted={onClose} />}>
        <FileBody file={file} />
      </Detail>
    );
  }
  const body = refusal ? (
    <NoPermission what="view files" refusal={refusal} />
  ) : error ? (
    <ErrorNotice error={error} tried="load the file" onRetry={() => void refetch()} />
  ) : isPending ? (
    <>
      <div className="preview none" />
      <Skeleton lines={8} label="Loading file" />
    </>
  ) : (
    <Empty title="File not found" action={<Button onClick={onClose}>Show all files</Button>}>
      <p className="muted">It may have been deleted.</p>
    </Empty>
  );
  return (
    <Detail title="File" onClose={onClose}>
      {body}
    </Detail>
  );
}

/** Shows the folder of a file that was opened by a link without one. */
function useOwnFolder(name: string): void {
  const refusal = useRefusal(mayQuery('fileFolders'));
  const [filters, change] = useFilters();
  const folder = refusal ? '' : folderOf(name);
  const isAnyShown = VIEWS.some((filter) => filters[filter]);
  useEffect(() => {
    if (folder && !isAnyShown) change({ folder });
  }, [folder, isAnyShown, change]);
}

/** URL parameters that select the listed files. */
const VIEWS = ['folder', 'below', 'name', 'status', 'from', 'to'];

function FileBody({ file }: { file: FileRecord }) {
  const refusal = useRefusal(mayChange('updateFile'));
  const readRefusal = useRefusal(mayQuery('file'));
  const { kind, word } = stateOf(file.status);
  return (
    <>
      <div className="row wrap">
        <Status kind={kind} word={word} />
        {file.public && (
          <span className="status info">
            <GlobeIcon aria-hidden width={14} height={14} />
            Public
          </span>
        )}
      </div>
      {file.status === 'error' && (
        <div className="notice bad" role="note">
          <div className={`stack ${styles.none} grow`}>
            <strong>The last upload failed.</strong>
            <span className="break">
              {file.error?.message} {file.error?.code && <code>{file.error.code}</code>}
            </span>
          </div>
        </div>
      )}
      <Sides
        first={<Contents file={file} />}
        second={
          <>
            <FileFacts file={file} />
            <Sharing file={file} refusal={refusal} readRefusal={readRefusal} />
            <Attributes file={file} refusal={refusal} />
          </>
        }
      />
    </>
  );
}

function Contents({ file }: { file: FileRecord }) {
  if (file.status === 'expired') return <p className="preview none muted">This file expired and its content was removed.</p>;
  if (!file.etag)
    return <p className="preview none muted">No content yet. Upload it from the menu above, or PUT it to the upload URL.</p>;
  return <ContentPreview file={file} />;
}
