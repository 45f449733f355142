import { Combobox } from '@base-ui/react/combobox';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
import { useRead } from '../../../api/use-read';
import { Button, Field, IconButton } from '../../../ui/controls';
import { formatBytes, plural } from '../../../ui/format';
import { filesNamed } from '../../../ui/use-search';
import { UploadRow } from '../../../files/uploads/upload-row';
import { uploads, useUploads } from '../../../files/uploads/upload-store';
import type { Attached } from '../draft/draft';
import { Suggestions } from '../../../ui/suggestions';
import styles from '../../email.module.css';

interface AttachmentsFieldProps {
  value: readonly Attached[];
  /** Accepts a function, since uploads end at any time. */
  onChange: (change: (value: readonly Attached[]) => readonly Attached[]) => void;
  draftId: string;
  fault?: string | undefined;
}

/** Attachments: stored files, or new ones that are stored first. */
export function AttachmentsField({ value, onChange, draftId, fault }: AttachmentsFieldProps) {
  const api = useApi();
  const all = useUploads(draftId);
  const picker = useRef<HTMLInputElement>(null);
  const add = (file: Attached) => onChange((known) => [...known.filter(({ fileId }) => fileId !== file.fileId), file]);
  const attach = useEffectEvent(add);
  useEffect(() => {
    for (const { id, name, type, size, fileId, state } of all) {
      if (state !== 'done' || !fileId) continue;
      attach({ fileId, name, contentType: type || null, size });
      uploads.cancel(id);
    }
  }, [all]);
  const begin = (source: File) =>
    uploads.add([{ source, input: { name: source.name, ...(source.type && { contentType: source.type }) } }], api.files, draftId);
  const size = value.reduce((sum, one) => sum + (one.size ?? 0), 0);
  return (
    <div className="stack tight">
      <FileChoice taken={value} onChoose={add} fault={fault} size={size} count={value.length} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          for (const file of target.files ?? []) begin(file);
          target.value = '';
        }}
      />
      {(value.length > 0 || all.length > 0) && (
        <ul className={styles.files} aria-label="Attached">
          {value.map((one) => (
            <li key={one.fileId} className="row">
              <input
                className="input grow"
                aria-label={`Name of ${one.name} in the email`}
                value={one.name}
                onChange={({ target }) =>
                  onChange((known) =>
                    known.map((other) => (other.fileId === one.fileId ? { ...one, name: target.value } : other)),
                  )
                }
              />
              <span className={`${styles.size} small muted`}>{one.size !== null && formatBytes(one.size)}</span>
              <IconButton
                label={`Remove ${one.name}`}
                look="plain"
                size="small"
                onClick={() => onChange((known) => known.filter(({ fileId }) => fileId !== one.fileId))}
              >
                <Cross2Icon />
              </IconButton>
            </li>
          ))}
          {all.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      <span>
        <Button size="small" right={['file-management', 'mutation', 'createFile']} onClick={() => picker.current?.click()}>
          Upload files
        </Button>
      </span>
    </div>
  );
}

interface FileChoiceProps {
  taken: readonly Attached[];
  onChoose: (file: Attached) => void;
  fault: string | undefined;
  size: number;
  count: number;
}

/** Finds a stored file by its name. */
function FileChoice({ taken, onChoose, fault, size, count }: FileChoiceProps) {
  const refusal = useRefusal(['file-management', 'query', 'files']);
  const [sought, setSought] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { data = [], isFetching } = useRead({
    queryKey: ['email', 'files', sought],
    read: async ({ files }, signal) => {
      const filter = { status: 'done' as const, ...filesNamed(sought) };
      const fields = { id: true, name: true, contentType: true, contentLength: true } as const;
      const { items } = await files.files({ filter, limit: 20 }, { items: fields }, { signal });
      return items.map(({ id, name, contentType, contentLength }) => ({
        fileId: id,
        name: name || 'file',
        contentType,
        size: contentLength,
      }));
    },
    enabled: !refusal && isOpen,
    placeholderData: (before) => before,
  });
  const hint = count > 0 ? `${plural(count, 'file')}, ${formatBytes(size)} of 26.2 MB` : undefined;
  const items = data.filter((file) => !taken.some(({ fileId }) => fileId === file.fileId));
  return (
    <Field label="Attachments" fault={fault} hint={refusal ? `${refusal}, so you can’t search stored files.` : hint}>
      {(ids) => (
        <Combobox.Root<Attached>
          items={items}
          filter={null}
          value={null}
          open={isOpen}
          onOpenChange={setOpen}
          onValueChange={(file) => {
            if (file) onChoose(file);
            setSought('');
          }}
          inputValue={sought}
          onInputValueChange={(text, { reason }) => reason === 'input-change' && setSought(text)}
          itemToStringLabel={({ name }) => name}
          disabled={Boolean(refusal)}
        >
          <Combobox.Input {...ids} aria-label="Attachments" className="input" placeholder="Search stored files by name" />
          <Suggestions<Attached> keyOf={({ fileId }) => fileId} empty={isFetching ? 'Searching…' : 'No matching files'}>
            {({ name, size: bytes }) => (
              <>
                <span className="grow truncate">{name}</span>
                <span className="muted small">{formatBytes(bytes ?? 0)}</span>
              </>
            )}
          </Suggestions>
        </Combobox.Root>
      )}
    </Field>
  );
}
