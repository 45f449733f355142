import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../api/api-context';
import { Button, Field, Modal } from '../ui/controls';
import { SecretDialog } from '../ui/secret-dialog';
import { ErrorNotice } from '../ui/states';
import { SERVICES } from './scope-words';

const DAY_SECONDS = 86_400;
const LIFETIMES: readonly (readonly [days: number, word: string])[] = [
  [0, 'Never'],
  [1, '1 day'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
];
const OVERLAPS: readonly (readonly [seconds: number, word: string])[] = [
  [0, 'Immediately'],
  [3_600, 'After 1 hour'],
  [DAY_SECONDS, 'After 1 day'],
  [7 * DAY_SECONDS, 'After 7 days'],
  [30 * DAY_SECONDS, 'After 30 days'],
];

/** Makes a key with rights that are ticked, or written as entries, and shows it once. */
export function CreateKeyDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [written, setWritten] = useState('');
  const [days, setDays] = useState(0);
  const scope = [...ticked, ...written.split(/\s+/).filter(Boolean)];
  const creating = useMutation({
    mutationFn: () =>
      admin.createKey({ input: { tenantId, scope, expiresIn: days ? days * DAY_SECONDS : null } }, { secret: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['admin', 'keys'] }),
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
          <Button type="submit" look="primary" disabled={scope.length === 0 || creating.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Makes another key with the same rights. The old one works for some time more. */
export function RotateKeyDialog({ id, prefix, onClose }: { id: string; prefix: string; onClose: () => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState(DAY_SECONDS);
  const rotating = useMutation({
    mutationFn: () => admin.rotateKey({ input: { id, overlap } }, { secret: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['admin', 'keys'] }),
  });
  if (rotating.data) return <NewSecret secret={rotating.data.secret!} onDone={onClose} />;
  return (
    <Modal title={`Rotate ${prefix}…`} isOpen isDismissible={!rotating.isPending} onClose={onClose}>
      <p className="muted">Creates a new key with the same permissions.</p>
      <Field label="Old key expires">
        {(ids) => (
          <select {...ids} className="input" value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
            {OVERLAPS.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rotating.error && <ErrorNotice error={rotating.error} tried="rotate the key" />}
      <div className="actions">
        <Button disabled={rotating.isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
          Rotate key
        </Button>
      </div>
    </Modal>
  );
}

const NewSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <SecretDialog title="New key" about="Send it in the x-api-key header." secret={secret} variable="KEY" onDone={onDone} />
);
