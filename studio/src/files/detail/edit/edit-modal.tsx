import { type FormEvent, useState } from 'react';
import { Button, Field, Modal, TextField } from '../../../ui/controls';
import { ErrorNotice } from '../../../ui/states';
import type { FileRecord } from '../../model/file-record';
import { useChange } from './use-change';

interface EditModalProps {
  file: FileRecord;
  isOpen: boolean;
  onClose: () => void;
}

/** Changes what is said about a file. */
export function EditModal({ file, isOpen, onClose }: EditModalProps) {
  return (
    <Modal title="Edit file" isOpen={isOpen} onClose={onClose}>
      <EditForm file={file} onClose={onClose} />
    </Modal>
  );
}

const FIELDS = ['name', 'contentType', 'externalReference', 'comment'] as const;
type Draft = Record<(typeof FIELDS)[number], string>;

function EditForm({ file, onClose }: Omit<EditModalProps, 'isOpen'>) {
  const [draft, setDraft] = useState<Draft>(() => ({
    name: file.name ?? '',
    contentType: file.contentType ?? '',
    externalReference: file.externalReference ?? '',
    comment: file.comment ?? '',
  }));
  const change = useChange(file.id ?? '');
  const set = (field: keyof Draft) => (value: string) => setDraft({ ...draft, [field]: value });
  const changed = FIELDS.filter((field) => draft[field] !== (file[field] ?? ''));
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (changed.length === 0) return onClose();
    change.mutate(Object.fromEntries(changed.map((field) => [field, draft[field] || null])), { onSuccess: onClose });
  };
  return (
    <form className="stack" onSubmit={save}>
      <TextField
        label="Name"
        hint="Use slashes for folders: invoices/2026/march.pdf"
        value={draft.name}
        maxLength={1024}
        onChange={(text) => set('name')(text)}
      />
      <TextField
        label="Type"
        hint={file.uploaded ? 'The type can’t be changed once the file has content.' : 'For example image/png.'}
        className="mono"
        value={draft.contentType}
        maxLength={255}
        readOnly={Boolean(file.uploaded)}
        onChange={(text) => set('contentType')(text)}
      />
      <TextField
        label="Reference"
        hint="The ID of the object in your application that this file belongs to."
        value={draft.externalReference}
        maxLength={1024}
        onChange={(text) => set('externalReference')(text)}
      />
      <Field label="Comment">
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={3}
            value={draft.comment}
            maxLength={4096}
            onChange={({ target }) => set('comment')(target.value)}
          />
        )}
      </Field>
      {change.error && <ErrorNotice error={change.error} tried="save the changes" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
