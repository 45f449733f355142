import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Field, Modal, TextField } from '../../ui/controls';
import { RotateDialog } from '../../ui/rotate-dialog';
import { SecretDialog } from '../../ui/secret-dialog';
import { ErrorNotice } from '../../ui/states';
import { SERVICES } from './scope-words';

/** The longest name of a key. */
const MAX_NAME = 100;

const DAY_SECONDS = 86_400;
const LIFETIMES: readonly (readonly [days: number, word: string])[] = [
  [0, 'Never'],
  [1, '1 day'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
];

/** Makes a key with a name, and rights that are ticked, or written as entries, and shows it once. */
export function CreateKeyDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [written, setWritten] = useState('');
  const [days, setDays] = useState(0);
  const scope = [...ticked, ...written.split(/\s+/).filter(Boolean)];
  const creating = useMutation({
    mutationFn: () =>
      admin.createKey({ input: { tenantId, name, scope, expiresIn: days ? days * DAY_SECONDS : null } }, { secret: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['admin'] }),
  });
  const tick = (entry: string, isOn: boolean) =>
    setTicked(new Set(isOn ? [...ticked, entry] : [...ticked].filter((one) => one !== entry)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate();
  };
  if (creating.data) return <NewSecret secret={creating.data.secret!} onDone={onClose} />;
  return (
    <Modal title="New key" isOpen isDismissible={!creating.isPending} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Name"
          hint="What the key is for, for example Shop backend"
          required
          maxLength={MAX_NAME}
          autoComplete="off"
          value={name}
          onChange={setName}
        />
        <table>
          <caption className="visually-hidden">Permissions</caption>
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col">Read</th>
              <th scope="col">Write</th>
            </tr>
          </thead>
          <tbody>
            {SERVICES.map(([service, word]) => (
              <tr key={service}>
                <th scope="row">{word}</th>
                {['query', 'mutation'].map((kind) => (
                  <td key={kind}>
                    <input
                      type="checkbox"
                      className="tick"
                      aria-label={`${word}: ${kind === 'query' ? 'read' : 'write'}`}
                      checked={ticked.has(`${service}-api:${kind}:*`)}
                      onChange={({ target }) => tick(`${service}-api:${kind}:*`, target.checked)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <Field label="Custom scopes" hint="Separated by spaces, for example email-api:mutation:sendMessage">
          {(ids) => (
            <textarea
              {...ids}
              className="input mono"
              rows={2}
              value={written}
              onChange={({ target }) => setWritten(target.value)}
            />
          )}
        </Field>
        <Field label="Expires">
          {(ids) => (
            <select {...ids} className="input" value={days} onChange={({ target }) => setDays(Number(target.value))}>
              {LIFETIMES.map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Field>
        {creating.error && <ErrorNotice error={creating.error} tried="create the key" />}
        <div className="actions">
          <Button disabled={creating.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={scope.length === 0 || name === '' || creating.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Modal>
  );
}

interface OfKeyProps {
  id: string;
  name: string | null;
  /** What a person recognises the key by: its name, else how it begins. */
  called: string;
  onClose: () => void;
}

/** Gives a key another name. */
export function RenameKeyDialog({ id, name, called, onClose }: OfKeyProps) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [entered, setEntered] = useState(name ?? '');
  const renaming = useMutation({
    meta: { done: 'Key renamed' },
    mutationFn: () => admin.renameKey({ id, name: entered || null }, { id: true }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['admin'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <Modal title={`Rename ${called}`} isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Name"
          hint="What the key is for, for example Shop backend"
          maxLength={MAX_NAME}
          autoComplete="off"
          value={entered}
          onChange={setEntered}
        />
        {renaming.error && <ErrorNotice error={renaming.error} tried="rename the key" />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={renaming.isPending}>
            Rename key
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Makes another key with the same name and rights. The old one works for some time more. */
export function RotateKeyDialog({ id, called, onClose }: Omit<OfKeyProps, 'name'>) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const rotating = useMutation({
    mutationFn: (overlap: number) => admin.rotateKey({ input: { id, overlap } }, { secret: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['admin'] }),
  });
  if (rotating.data) return <NewSecret secret={rotating.data.secret!} onDone={onClose} />;
  return (
    <RotateDialog
      title={`Rotate ${called}`}
      about="Creates a new key with the same name and permissions."
      label="Old key expires"
      what="key"
      longestDays={30}
      rotating={rotating}
      onClose={onClose}
    />
  );
}

const NewSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <SecretDialog title="New key" about="Send it in the x-api-key header." secret={secret} variable="KEY" onDone={onDone} />
);
