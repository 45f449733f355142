import { Combobox } from '@base-ui/react/combobox';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
import { Button, Field, IconButton } from '../../../ui/controls';
import { formatBytes, plural } from '../../../ui/format';
import { filesNamed } from '../../../ui/use-search';
import { reasonOf } from '../../words';
import type { Attached } from '../draft/draft';
import { upload } from '../draft/upload';
import { Suggestions } from '../../../ui/suggestions';
import styles from '../../email.module.css';

interface Upload {
  key: string;
  name: string;
  share: number;
  fault?: string;
  stop: () => void;
}

interface AttachmentsFieldProps {
  value: readonly Attached[];
  /** Accepts a function, since uploads end at any time. */
  onChange: (change: (value: readonly Attached[]) => readonly Attached[]) => void;
  onBusy: (isBusy: boolean) => void;
  fault?: string | undefined;
}

/** Attachments: stored files, or new ones that are stored first. */
export function AttachmentsField({ value, onChange, onBusy, fault }: AttachmentsFieldProps) {
  const api = useApi();
  const uploadRefusal = useRefusal(['file-management', 'mutation', 'createFile']);
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const isBusy = uploads.some((one) => !one.fault);
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);
  const add = (file: Attached) => onChange((known) => [...known.filter(({ fileId }) => fileId !== file.fileId), file]);
  const change = (key: string, changes: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  const drop = (key: string) => setUploads((all) => all.filter((one) => one.key !== key));
  const begin = (file: File) => {
    const key = crypto.randomUUID();
    const stopping = new AbortController();
    setUploads((all) => [...all, { key, name: file.name, share: 0, stop: () => stopping.abort() }]);
    upload(api, file, stopping.signal, (share) => change(key, { share })).then(
      (attached) => {
        drop(key);
        add(attached);
      },
      (error: unknown) => (stopping.signal.aborted ? drop(key) : change(key, { fault: reasonOf(error) })),
    );
  };
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
      {(value.length > 0 || uploads.length > 0) && (
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
          {uploads.map(({ key, name, share, fault: uploadFault, stop }) => (
            <li key={key} className="row">
              <span className="grow break">
                {name} {uploadFault && <span className="mail-reason">{uploadFault}</span>}
              </span>
              {!uploadFault && <progress aria-label={`Upload of ${name}`} value={share} max={1} />}
              <Button size="small" look="plain" onClick={() => (uploadFault ? drop(key) : stop())}>
                {uploadFault ? 'Dismiss' : 'Stop'}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <span>
        <Button size="small" refusal={uploadRefusal} onClick={() => picker.current?.click()}>
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
  const { files } = useApi();
  const refusal = useRefusal(['file-management', 'query', 'files']);
  const [sought, setSought] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { data = [], isFetching } = useQuery({
    queryKey: ['email', 'files', sought],
    queryFn: async ({ signal }) => {
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
          <Suggestions<Attached>
            keyOf={({ fileId }) => fileId}
            empty={isFetching ? 'Searching…' : 'No matching files'}
            className={styles.suggestions}
          >
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
