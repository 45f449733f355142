import { DownloadIcon, ExternalLinkIcon, Pencil1Icon, TrashIcon, UpdateIcon } from '@radix-ui/react-icons';
import { useMemo, useRef, useState } from 'react';
import { useApi, useRefusal, useRefusalOfAll } from '../../api/api-context';
import { useCommands } from '../../shell/commands';
import { Confirm } from '../../ui/controls';
import { copyId } from '../../ui/copy';
import { DetailMenu } from '../../ui/detail-menu';
import { formatBytes } from '../../ui/format';
import { baseName, type FileRecord } from '../model/file-record';
import { useContentAddress } from '../model/queries';
import { mayChange, mayQuery } from '../model/rights';
import { uploads } from '../uploads/upload-store';
import { DeleteFile } from './delete-file';
import { EditModal } from './edit/edit-modal';

type Open = 'edit' | 'delete';

/** Actions on a file. */
export function FileActions({ file, onDeleted }: { file: FileRecord; onDeleted: () => void }) {
  const api = useApi();
  const chooser = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<Open>();
  const [source, setSource] = useState<File>();
  const editRefusal = useRefusal(mayChange('updateFile'));
  const deleteRefusal = useRefusal(mayChange('deleteFile'));
  const readRefusal = useRefusal(mayQuery('file'));
  // The server returns an uploadUrl to a key with either scope.
  const writeRefusal = useRefusalOfAll(mayChange('createFile'), mayChange('updateFile'));
  const { id, etag, status, public: isPublic } = file;
  const { data: address } = useContentAddress({ id: id ?? '', etag, isPublic });
  const name = baseName(file.name);
  const isExpired = status === 'expired';
  const replace = isExpired ? 'The file has expired' : (readRefusal ?? writeRefusal);
  const commands = useMemo(
    () => [
      { id: 'file id', group: 'File', word: `Copy ID of ${name}`, run: () => copyId(id ?? '') },
      ...(editRefusal ? [] : [{ id: 'file edit', group: 'File', word: `Edit ${name}`, run: () => setOpen('edit') }]),
      ...(replace
        ? []
        : [{ id: 'file replace', group: 'File', word: `Replace content of ${name}`, run: () => chooser.current?.click() }]),
      ...(deleteRefusal ? [] : [{ id: 'file delete', group: 'File', word: `Delete ${name}`, run: () => setOpen('delete') }]),
    ],
    [id, name, editRefusal, replace, deleteRefusal],
  );
  useCommands(commands);
  const close = () => setOpen(undefined);
  const confirmReplace = () =>
    uploads.add([{ source: source!, input: { name: file.name ?? name }, replaces: { id: id ?? '', etag } }], api.files);
  return (
    <>
      {address && (
        <a className="button" href={address} download={name} target="_blank" rel="noreferrer">
          <DownloadIcon aria-hidden />
          Download
        </a>
      )}
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="New content"
        onChange={({ target }) => {
          setSource(target.files?.[0]);
          target.value = '';
        }}
      />
      <DetailMenu
        id={id ?? undefined}
        json={file}
        request={{ service: 'files', operation: 'file', variables: { ID: id } }}
        entries={[
          Boolean(address) && {
            label: 'Open in a new tab',
            icon: <ExternalLinkIcon aria-hidden />,
            onSelect: () => void window.open(address ?? '', '_blank', 'noopener,noreferrer'),
          },
          { label: 'Rename or edit', icon: <Pencil1Icon aria-hidden />, onSelect: () => setOpen('edit'), refusal: editRefusal },
          {
            label: etag ? 'Replace content' : 'Upload content',
            icon: <UpdateIcon aria-hidden />,
            onSelect: () => chooser.current?.click(),
            refusal: replace,
          },
          {
            label: 'Delete',
            icon: <TrashIcon aria-hidden />,
            onSelect: () => setOpen('delete'),
            isDanger: true,
            refusal: deleteRefusal,
          },
        ]}
      />
      {open === 'edit' && <EditModal file={file} onClose={close} />}
      <DeleteFile file={file} isOpen={open === 'delete'} onClose={close} onDeleted={onDeleted} />
      <Confirm
        title={etag ? `Replace content of ${name}?` : `Upload content of ${name}?`}
        action={etag ? 'Replace' : 'Upload'}
        isOpen={source !== undefined}
        onClose={() => setSource(undefined)}
        onConfirm={confirmReplace}
      >
        {source && (
          <span className="break">
            {`The new content is ${source.name}, ${formatBytes(source.size)}. The type stays ${file.contentType}.`}
            {etag && ' The current content is lost once the upload completes.'}
          </span>
        )}
      </Confirm>
    </>
  );
}
