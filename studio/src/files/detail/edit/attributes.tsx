import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Button, IconButton } from '../../../ui/controls';
import { FormDialog } from '../../../ui/form-dialog';
import { useForm } from '../../../ui/use-form';
import { baseName, type FileRecord } from '../../model/file-record';
import { useChange } from './use-change';
import styles from '../../files.module.css';

const MOST = 100;

/** Names and values that the application stores with a file. */
export function Attributes({ file, refusal }: { file: FileRecord; refusal: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const attributes = file.attributes ?? [];
  return (
    <section className="stack tight" aria-label="Attributes">
      <div className="row">
        <h3 className="grow">Attributes</h3>
        <Button size="small" refusal={refusal} onClick={() => setOpen(true)}>
          {attributes.length > 0 ? 'Edit' : 'Add'}
        </Button>
      </div>
      {attributes.length > 0 ? (
        <table className={styles.attributes}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {attributes.map(({ name, value }) => (
              <tr key={name}>
                <td className="break">{name}</td>
                <td className="break">{value ?? <span className="muted">none</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="muted small">None. Your application can store up to {MOST} attributes with a file.</p>
      )}
      {isOpen && <AttributesForm file={file} onClose={() => setOpen(false)} />}
    </section>
  );
}

interface Line {
  key: number;
  name: string;
  value: string;
}

/** Returns whether a line is filled. */
const isNamed = ({ name, value }: Line): boolean => Boolean(name || value);

function AttributesForm({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const { mutateAsync } = useChange(file.id ?? '');
  const form = useForm({
    first: () => {
      const there = (file.attributes ?? []).map(({ name, value }, key): Line => ({ key, name: name ?? '', value: value ?? '' }));
      return { lines: there.length > 0 ? there : [{ key: 0, name: '', value: '' }] };
    },
    send: ({ lines: all }) =>
      mutateAsync({ attributes: all.filter(isNamed).map(({ name, value }) => ({ name, value: value || null })) }),
    onDone: onClose,
  });
  const { lines } = form.values;
  const named = lines.filter(isNamed);
  const twice = named.find(({ name }, at) => named.findIndex((line) => line.name === name) !== at);
  const fault = twice
    ? `The name ${twice.name || '(empty)'} is used twice.`
    : named.some(({ name }) => !name)
      ? 'Enter a name for each value.'
      : undefined;
  const setLines = (next: Line[]) => form.set({ lines: next });
  const set = (key: number, changes: Partial<Line>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...changes } : line)));
  return (
    <FormDialog
      form={form}
      title={`Attributes of ${baseName(file.name)}`}
      action="Save"
      tried="save attributes"
      size="wide"
      isReady={!fault}
      onClose={onClose}
    >
      <ul className="stack tight">
        {lines.map(({ key, name, value }, at) => (
          <li key={key} className="row">
            <input
              className="input"
              aria-label={`Name ${at + 1}`}
              placeholder="Name"
              value={name}
              maxLength={1024}
              autoFocus={at === lines.length - 1}
              onChange={({ target }) => set(key, { name: target.value })}
            />
            <input
              className="input"
              aria-label={`Value ${at + 1}`}
              placeholder="Value"
              value={value}
              maxLength={4096}
              onChange={({ target }) => set(key, { value: target.value })}
            />
            <IconButton
              label={`Remove attribute ${at + 1}`}
              look="plain"
              onClick={() => setLines(lines.filter((line) => line.key !== key))}
            >
              <Cross2Icon />
            </IconButton>
          </li>
        ))}
      </ul>
      <span>
        <Button
          size="small"
          refusal={lines.length >= MOST ? `A file has at most ${MOST}` : undefined}
          onClick={() => setLines([...lines, { key: (lines.at(-1)?.key ?? 0) + 1, name: '', value: '' }])}
        >
          <PlusIcon aria-hidden />
          Add attribute
        </Button>
      </span>
      {fault && (
        <p className="notice bad" role="alert">
          {fault}
        </p>
      )}
    </FormDialog>
  );
}
