import { TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { type Kind, KIND_WORDS } from './stream';
import { FIELDS, type StreamDraft } from './stream-draft';

const FORMAT_WORDS = { NDJSON: 'JSON, all fields', OCSF: 'OCSF 1.3.0', CLOUDEVENTS: 'CloudEvents 1.0' } as const;

interface FieldsProps {
  draft: StreamDraft;
  onChange: (draft: StreamDraft) => void;
}

/** Name, destination and format of a stream. */
export function StreamFields({ draft, onChange }: FieldsProps) {
  const { name, kind, format, fields } = draft;
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={256}
        autoComplete="off"
        value={name}
        onChange={(next) => onChange({ ...draft, name: next })}
      />
      <SelectField
        label="Destination"
        words={KIND_WORDS}
        value={kind}
        onChange={(next: Kind) => onChange({ ...draft, kind: next, fields: {} })}
      />
      {FIELDS[kind].map(({ name: field, label, hint, placeholder, isOptional, isSecret }) => (
        <TextField
          key={`${kind} ${field}`}
          label={label}
          {...(hint && { hint })}
          {...(placeholder && { placeholder })}
          {...(isSecret && { type: 'password' })}
          required={!isOptional}
          autoComplete={isSecret ? 'new-password' : 'off'}
          spellCheck={false}
          value={fields[field] ?? ''}
          onChange={(next) => onChange({ ...draft, fields: { ...fields, [field]: next } })}
        />
      ))}
      <SelectField label="Format" words={FORMAT_WORDS} value={format} onChange={(next) => onChange({ ...draft, format: next })} />
    </>
  );
}
