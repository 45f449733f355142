import { TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { TokenField, WORDS } from '../../ui/token-field';
import { type Kind, KIND_WORDS } from './stream';
import { FIELDS, type StreamDraft } from './stream-draft';

const FORMAT_WORDS = { NDJSON: 'JSON, all fields', OCSF: 'OCSF 1.3.0', CLOUDEVENTS: 'CloudEvents 1.0' } as const;

/** Name, destination and format of a stream. */
export function StreamFields({ draft, onChange }: { draft: StreamDraft; onChange: (changes: Partial<StreamDraft>) => void }) {
  const { name, kind, format, fields } = draft;
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={256}
        autoComplete="off"
        value={name}
        onChange={(next) => onChange({ name: next })}
      />
      <SelectField
        label="Destination"
        words={KIND_WORDS}
        value={kind}
        onChange={(next: Kind) => onChange({ kind: next, fields: {} })}
      />
      {FIELDS[kind].map(({ name: field, isOptional, isSecret, isList, ...rest }) => {
        const value = fields[field] ?? '';
        const change = (next: string) => onChange({ fields: { ...fields, [field]: next } });
        return isList ? (
          <TokenField
            key={`${kind} ${field}`}
            tokens={WORDS}
            {...rest}
            value={value ? value.split(',') : []}
            onChange={(next) => change(next.join(','))}
          />
        ) : (
          <TextField
            key={`${kind} ${field}`}
            {...rest}
            {...(isSecret && { type: 'password' })}
            required={!isOptional}
            autoComplete={isSecret ? 'new-password' : 'off'}
            spellCheck={false}
            value={value}
            onChange={change}
          />
        );
      })}
      <SelectField label="Format" words={FORMAT_WORDS} value={format} onChange={(next) => onChange({ format: next })} />
    </>
  );
}
