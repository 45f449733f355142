import { CodeIcon, DownloadIcon, ExternalLinkIcon, Link2Icon, Pencil1Icon, TrashIcon, UpdateIcon } from '@radix-ui/react-icons';
import { useMemo, useRef, useState } from 'react';
import { useApi, useRefusal, useRefusalOfAll } from '../../api/api-context';
import { useCommands } from '../../shell/commands';
import { Confirm } from '../../ui/confirm';
import { copy, copyId } from '../../ui/copy';
import { DetailMenu } from '../../ui/detail-menu';
import { formatBytes } from '../../ui/format';
import { quoted } from '../../ui/sample';
import { toasts } from '../../ui/toasts';
import { baseName, type FileRecord } from '../model/file-record';
import { mayChange, useContentAddress } from '../model/queries';
import { uploads } from '../uploads/upload-store';
import { DeleteFile } from './delete-file';
import { Button, TextField } from '../../ui/controls';
import { TextAreaField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { useChange } from './edit/use-change';
import { LIFETIMES } from './sharing';

type Open = 'edit' | 'delete';

/** Actions on a file. */
export function FileActions({ file, seconds, onDeleted }: { file: FileRecord; seconds: number; onDeleted: () => void }) {
  const api = useApi();
  const chooser = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<Open>();
  const [source, setSource] = useState<File>();
  const editRefusal = useRefusal(mayChange('updateFile'));
  const deleteRefusal = useRefusal(mayChange('deleteFile'));
  // The server returns an uploadUrl to a key with either scope.
  const writeRefusal = useRefusalOfAll(mayChange('createFile'), mayChange('updateFile'));
  const { id, etag, status, public: isPublic } = file;
  const { data: address } = useContentAddress({ id: id ?? '', etag, isPublic });
  const { data: link } = useContentAddress({ id: id ?? '', etag, isPublic }, seconds);
  const linkCopied = isPublic ? 'Link copied' : `Link copied. It works for ${new Map(LIFETIMES).get(seconds)}`;
  const name = baseName(file.name);
  const isExpired = status === 'expired';
  const replace = isExpired ? 'The file has expired' : writeRefusal;
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
      {link && (
        <Button onClick={() => copy(link, () => toasts.add({ title: linkCopied }))}>
          <Link2Icon aria-hidden />
          Copy link
        </Button>
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
          Boolean(address) && {
            label: 'Copy curl command',
            icon: <CodeIcon aria-hidden />,
            onSelect: () => copy(downloadOf(name, address!), () => toasts.add({ title: 'Command copied' })),
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

/** Returns a command that saves the content in the shell's folder. Its name is never an option of curl. */
const downloadOf = (name: string, address: string) => `curl -L -o ${quoted(`./${name}`)} ${quoted(address)}`;

const FIELDS = ['name', 'contentType', 'externalReference', 'comment'] as const;
type Draft = Record<(typeof FIELDS)[number], string>;

/** Form for the metadata of a file. */
export function EditModal({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const { mutateAsync } = useChange(file.id ?? '');
  const form = useForm({
    first: () => Object.fromEntries(FIELDS.map((field) => [field, file[field] ?? ''])) as Draft,
    send: async (draft) => {
      const changed = FIELDS.filter((field) => draft[field] !== (file[field] ?? ''));
      if (changed.length > 0) await mutateAsync(Object.fromEntries(changed.map((field) => [field, draft[field] || null])));
    },
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Edit file" action="Save" tried="save the changes" onClose={onClose}>
      <TextField label="Name" hint="Use slashes for folders: invoices/2026/march.pdf" maxLength={1024} {...form.field('name')} />
      <TextField
        label="Type"
        hint={file.uploaded ? 'The type can’t be changed once the file has content.' : 'For example image/png.'}
        className="mono"
        maxLength={255}
        readOnly={Boolean(file.uploaded)}
        {...form.field('contentType')}
      />
      <TextField
        label="Reference"
        hint="The ID of the object in your application that this file belongs to."
        maxLength={1024}
        {...form.field('externalReference')}
      />
      <TextAreaField label="Comment" rows={3} maxLength={4096} {...form.field('comment')} />
    </FormDialog>
  );
}
