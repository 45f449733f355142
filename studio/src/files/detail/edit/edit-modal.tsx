import { useState } from 'react';
import { TextField } from '../../../ui/controls';
import { TextAreaField } from '../../../ui/fields';
import { FormDialog } from '../../../ui/form-dialog';
import type { FileRecord } from '../../model/file-record';
import { useChange } from './use-change';

const FIELDS = ['name', 'contentType', 'externalReference', 'comment'] as const;
type Draft = Record<(typeof FIELDS)[number], string>;

/** Form for the metadata of a file. */
export function EditModal({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => ({
    name: file.name ?? '',
    contentType: file.contentType ?? '',
    externalReference: file.externalReference ?? '',
    comment: file.comment ?? '',
  }));
  const change = useChange(file.id ?? '');
  const set = (field: keyof Draft) => (value: string) => setDraft({ ...draft, [field]: value });
  const changed = FIELDS.filter((field) => draft[field] !== (file[field] ?? ''));
  const save = () => {
    if (changed.length === 0) return onClose();
    change.mutate(Object.fromEntries(changed.map((field) => [field, draft[field] || null])), { onSuccess: onClose });
  };
  return (
    <FormDialog title="Edit file" action="Save" tried="save the changes" sending={change} onSend={save} onClose={onClose}>
      <TextField
        label="Name"
        hint="Use slashes for folders: invoices/2026/march.pdf"
        value={draft.name}
        maxLength={1024}
        onChange={set('name')}
      />
      <TextField
        label="Type"
        hint={file.uploaded ? 'The type can’t be changed once the file has content.' : 'For example image/png.'}
        className="mono"
        value={draft.contentType}
        maxLength={255}
        readOnly={Boolean(file.uploaded)}
        onChange={set('contentType')}
      />
      <TextField
        label="Reference"
        hint="The ID of the object in your application that this file belongs to."
        value={draft.externalReference}
        maxLength={1024}
        onChange={set('externalReference')}
      />
      <TextAreaField label="Comment" rows={3} value={draft.comment} maxLength={4096} onChange={set('comment')} />
    </FormDialog>
  );
}
