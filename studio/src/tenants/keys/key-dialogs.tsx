import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { Checkbox, SelectField, TextAreaField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { RotateDialog } from '../../ui/rotate-dialog';
import { SecretDialog } from '../../ui/secret-dialog';
import { formatTime } from '../../ui/format';
import { SERVICES } from './scope-words';
import { TableHead } from '../../ui/table-head';

/** Maximum length of a key's name. */
const MAX_NAME = 100;

const DAY_SECONDS = 86_400;
const LIFETIMES: readonly (readonly [days: number, word: string])[] = [
  [0, 'Never'],
  [1, '1 day'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
];

/** Value of the expiry field for the current time of expiry. */
const UNCHANGED = -1;

/** Creates a key with a name and chosen rights, or scope entries, and shows it once. */
export function CreateKeyDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [days, setDays] = useState(0);
  const { scope, permissions } = usePermissions([]);
  const creating = useMutation({
    mutationFn: () =>
      admin.createKey({ input: { tenantId, name, scope, expiresIn: days ? days * DAY_SECONDS : null } }, { secret: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['admin'] }),
  });
  if (creating.data) return <NewSecret secret={creating.data.secret!} onDone={onClose} />;
  return (
    <FormDialog
      title="New key"
      action="Create key"
      tried="create the key"
      sending={creating}
      isReady={scope.length > 0 && name !== ''}
      isAwaited
      onSend={creating.mutate}
      onClose={onClose}
    >
      <NameField required value={name} onChange={setName} />
      {permissions}
      <SelectField label="Expires" words={LIFETIMES} value={days} onChange={setDays} />
    </FormDialog>
  );
}

const SWITCHES = SERVICES.flatMap(([service]) => ['query', 'mutation'].map((kind) => `${service}-api:${kind}:*`));

/** Fields for the scope of a key: a switch for all queries or mutations of each service, and custom entries. */
function usePermissions(initial: readonly string[]) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set(initial.filter((entry) => SWITCHES.includes(entry))));
  const [written, setWritten] = useState(initial.filter((entry) => !SWITCHES.includes(entry)).join(' '));
  const scope = [...ticked, ...written.split(/\s+/).filter(Boolean)];
  const tick = (entry: string, isOn: boolean) =>
    setTicked(new Set(isOn ? [...ticked, entry] : [...ticked].filter((one) => one !== entry)));
  const permissions = (
    <>
      <table>
        <caption className="visually-hidden">Permissions</caption>
        <TableHead of={['Service', 'Read', 'Write']} />
        <tbody>
          {SERVICES.map(([service, word]) => (
            <tr key={service}>
              <th scope="row">{word}</th>
              {['query', 'mutation'].map((kind) => (
                <td key={kind}>
                  <Checkbox
                    aria-label={`${word}: ${kind === 'query' ? 'read' : 'write'}`}
                    checked={ticked.has(`${service}-api:${kind}:*`)}
                    onChange={(checked) => tick(`${service}-api:${kind}:*`, checked)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <TextAreaField
        label="Custom scopes"
        hint="Separated by spaces, for example email-api:mutation:sendMessage"
        className="mono"
        rows={2}
        value={written}
        onChange={setWritten}
      />
    </>
  );
  return { scope, permissions };
}

/** Name of a key. */
const NameField = (props: { required?: boolean; value: string; onChange: (name: string) => void }) => (
  <TextField
    label="Name"
    hint="What the key is for, for example Shop backend"
    maxLength={MAX_NAME}
    autoComplete="off"
    {...props}
  />
);

interface OfKeyProps {
  id: string;
  name: string | null;
  /** Label of a key: its name, else its prefix. */
  called: string;
  onClose: () => void;
}

interface EditProps extends OfKeyProps {
  scope: readonly string[];
  expiresAt: string | null;
  /** False for a revoked or expired key, of which only the name can be changed. */
  isActive: boolean;
}

/** Changes the name, permissions and expiry of a key. */
export function EditKeyDialog({ id, name, scope: before, expiresAt, isActive, called, onClose }: EditProps) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [entered, setEntered] = useState(name ?? '');
  const [days, setDays] = useState(expiresAt ? UNCHANGED : 0);
  const { scope, permissions } = usePermissions(before);
  const isSameScope = scope.length === before.length && scope.every((entry) => before.includes(entry));
  const expiresIn = days === UNCHANGED || (days === 0 && !expiresAt) ? undefined : days ? days * DAY_SECONDS : null;
  const saving = useMutation({
    meta: { done: 'Key saved' },
    mutationFn: () => {
      const input = { name: entered || null, ...(!isSameScope && { scope }), ...(expiresIn !== undefined && { expiresIn }) };
      return admin.updateKey({ id, input }, { id: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['admin'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Edit ${called}`}
      action="Save key"
      tried="save the key"
      sending={saving}
      isReady={scope.length > 0}
      onSend={saving.mutate}
      onClose={onClose}
    >
      <NameField value={entered} onChange={setEntered} />
      {isActive && (
        <>
          {permissions}
          <SelectField
            label="Expires"
            hint="A lifetime counts from now. Changes apply on every node within 5 seconds."
            words={expiresAt ? [[UNCHANGED, `${formatTime(expiresAt)}, unchanged`], ...LIFETIMES] : LIFETIMES}
            value={days}
            onChange={setDays}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Creates another key with the same name and rights. The old one works for the overlap. */
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
  <SecretDialog title="New key" about="Send it in the x-api-key header." secrets={[['KEY', secret]]} onDone={onDone} />
);
