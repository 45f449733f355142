import { useState } from 'react';
import { TextField } from '../../ui/controls';
import { Checkbox, SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { TokenField, wordsBy } from '../../ui/token-field';
import { type FieldOf, useForm } from '../../ui/use-form';
import { RotateDialog } from '../../ui/rotate-dialog';
import { SecretDialog } from '../../ui/secret-dialog';
import { formatTime } from '../../ui/format';
import styles from '../tenants.module.css';
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
  const form = useForm({
    first: { name: '', scope: [] as readonly string[], days: 0 },
    paths: { days: 'expiresIn' },
    send: ({ days, ...rest }, { admin }) =>
      admin.createKey({ input: { tenantId, ...rest, expiresIn: days ? days * DAY_SECONDS : null } }, { secret: true }),
    again: ['admin'],
  });
  const { name, scope } = form.values;
  if (form.result) return <NewSecret secret={form.result.secret!} onDone={onClose} />;
  return (
    <FormDialog
      form={form}
      title="New key"
      action="Create key"
      isReady={scope.length > 0 && name !== ''}
      isAwaited
      onClose={onClose}
    >
      <NameField required {...form.field('name')} />
      <ScopeField {...form.field('scope')} />
      <SelectField label="Expires" words={LIFETIMES} {...form.field('days')} />
    </FormDialog>
  );
}

const KINDS = [
  ['query', 'read'],
  ['mutation', 'write'],
] as const;
const SWITCHES = new Set(SERVICES.flatMap(([service]) => KINDS.map(([kind]) => `${service}-api:${kind}:*`)));
const ENTRIES = wordsBy(/[\s,;]+/, { whole: /\S/ });

/** Scope of a key: a switch for all queries or mutations of each service, and custom entries. */
function ScopeField({ value, onChange, fault }: FieldOf<readonly string[]>) {
  const tick = (entry: string, isOn: boolean) => onChange(isOn ? [...value, entry] : value.filter((one) => one !== entry));
  return (
    <>
      <table className={styles.permissions}>
        <caption className="visually-hidden">Permissions</caption>
        <TableHead of={['Service', 'Read', 'Write']} />
        <tbody>
          {SERVICES.map(([service, word]) => (
            <tr key={service}>
              <th scope="row">{word}</th>
              {KINDS.map(([kind, kindWord]) => (
                <td key={kind}>
                  <Checkbox
                    aria-label={`${word}: ${kindWord}`}
                    checked={value.includes(`${service}-api:${kind}:*`)}
                    onChange={(checked) => tick(`${service}-api:${kind}:*`, checked)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <TokenField
        label="Custom scopes"
        hint="Press Enter after each, for example email-api:mutation:sendMessage"
        fault={fault}
        tokens={ENTRIES}
        value={value.filter((entry) => !SWITCHES.has(entry))}
        onChange={(next) => onChange([...value.filter((entry) => SWITCHES.has(entry)), ...next])}
      />
    </>
  );
}

/** Name of a key. */
const NameField = (props: FieldOf<string> & { required?: boolean }) => (
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
  const form = useForm({
    first: { name: name ?? '', scope: before, days: expiresAt ? UNCHANGED : 0 },
    paths: { days: 'expiresIn' },
    send: ({ name: entered, scope, days }, { admin }) => {
      const isSameScope = scope.length === before.length && scope.every((entry) => before.includes(entry));
      const expiresIn = days === UNCHANGED || (days === 0 && !expiresAt) ? undefined : days ? days * DAY_SECONDS : null;
      const input = { name: entered || null, ...(!isSameScope && { scope }), ...(expiresIn !== undefined && { expiresIn }) };
      return admin.updateKey({ id, input }, { id: true });
    },
    done: 'Key saved',
    again: ['admin'],
    onDone: onClose,
  });
  const isReady = form.values.scope.length > 0;
  return (
    <FormDialog form={form} title={`Edit ${called}`} action="Save key" isReady={isReady} onClose={onClose}>
      <NameField {...form.field('name')} />
      {isActive && (
        <>
          <ScopeField {...form.field('scope')} />
          <SelectField
            label="Expires"
            hint="A lifetime counts from now. Changes apply on every node within 5 seconds."
            words={expiresAt ? [[UNCHANGED, `${formatTime(expiresAt)}, unchanged`], ...LIFETIMES] : LIFETIMES}
            {...form.field('days')}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Creates another key with the same name and rights. The old one works for the overlap. */
export function RotateKeyDialog({ id, called, onClose }: Omit<OfKeyProps, 'name'>) {
  const [secret, setSecret] = useState<string>();
  if (secret) return <NewSecret secret={secret} onDone={onClose} />;
  return (
    <RotateDialog
      title={`Rotate ${called}`}
      about="Creates a new key with the same name and permissions."
      label="Old key expires"
      what="key"
      longestDays={30}
      rotate={({ admin }, overlap) => admin.rotateKey({ input: { id, overlap } }, { secret: true })}
      again={['admin']}
      onSecret={setSecret}
      onClose={onClose}
    />
  );
}

const NewSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <SecretDialog title="New key" about="Send it in the x-api-key header." secrets={[['KEY', secret]]} onDone={onDone} />
);
