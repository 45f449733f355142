import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons';
import { type FormEvent, useState } from 'react';
import { Button, IconButton, Modal } from '../../../ui/controls';
import { ErrorNotice } from '../../../ui/states';
import { baseName, type FileRecord } from '../../model/file-record';
import { useChange } from './use-change';
import styles from '../../files.module.css';

const MOST = 100;

/** Names and values that the application stores with a file. */
export function Attributes({ file, refusal }: { file: FileRecord; refusal: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const attributes = file.attributes ?? [];
  const close = () => setOpen(false);
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
      <Modal title={`Attributes of ${baseName(file.name)}`} form="wide" isOpen={isOpen} onClose={close}>
        <AttributesForm file={file} onClose={close} />
      </Modal>
    </section>
  );
}

interface Line {
  key: number;
  name: string;
  value: string;
}

function AttributesForm({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const [lines, setLines] = useState<Line[]>(() => {
    const there = (file.attributes ?? []).map(({ name, value }, key) => ({ key, name: name ?? '', value: value ?? '' }));
    return there.length > 0 ? there : [{ key: 0, name: '', value: '' }];
  });
  const change = useChange(file.id ?? '');
  const named = lines.filter(({ name, value }) => name || value);
  const twice = named.find(({ name }, at) => named.findIndex((line) => line.name === name) !== at);
  const fault = twice
    ? `The name ${twice.name || '(empty)'} is used twice.`
    : named.some(({ name }) => !name)
      ? 'Enter a name for each value.'
      : undefined;
  const set = (key: number, changes: Partial<Line>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...changes } : line)));
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (fault) return;
    change.mutate({ attributes: named.map(({ name, value }) => ({ name, value: value || null })) }, { onSuccess: onClose });
  };
  return (
    <form className="stack" onSubmit={save}>
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
      {change.error && <ErrorNotice error={change.error} tried="save attributes" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={change.isPending || Boolean(fault)}>
          Save
        </Button>
      </div>
    </form>
  );
}
