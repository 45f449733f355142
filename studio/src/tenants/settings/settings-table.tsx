import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';

/** A numeric setting of a tenant, or of the server. */
export interface Setting {
  word: string;
  /** Unit of the number, such as days. */
  unit: string;
  now: number | null;
  shown: string;
  /** Whether it is set for this tenant, and can be reset. */
  isOwn: boolean;
  used?: ReactNode;
  /** Null for the setting of the server. */
  set: (value: number | null) => Promise<unknown>;
}

interface SettingsTableProps {
  tenantId: string;
  /** Name of the setting, its usage if known, and its value. */
  heads: readonly string[];
  settings: readonly Setting[];
  /** Such as limit or period. */
  what: string;
  hint: string;
  /** Description of valid values. */
  rule: string;
  /** Value of an empty field; without it the field is required. */
  empty?: number;
  refusal: string | undefined;
}

/** Settings of a tenant, with a dialog to change each. */
export function SettingsTable({ heads, settings, refusal, ...dialog }: SettingsTableProps) {
  const [changing, setChanging] = useState<Setting>();
  return (
    <>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.word}>
              <th scope="row">{setting.word}</th>
              {setting.used && <td>{setting.used}</td>}
              <td>
                {setting.shown}
                <div className="muted small">{setting.isOwn ? 'Custom' : 'Server default'}</div>
              </td>
              <td className="number">
                <Button
                  size="small"
                  refusal={refusal}
                  aria-label={`Change: ${setting.word}`}
                  onClick={() => setChanging(setting)}
                >
                  Change
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changing && <SettingDialog {...dialog} {...changing} onClose={() => setChanging(undefined)} />}
    </>
  );
}

type SettingDialogProps = Omit<SettingsTableProps, 'heads' | 'settings' | 'refusal'> & Setting & { onClose: () => void };

/** Changes or resets a numeric setting. */
function SettingDialog({ word, unit, hint, rule, what, tenantId, now, isOwn, empty, set, onClose }: SettingDialogProps) {
  const form = useForm({
    first: { value: now === null ? '' : String(now), isDefault: false },
    send: ({ value, isDefault }) => set(isDefault ? null : value === '' && empty !== undefined ? empty : Number(value)),
    done: 'Setting saved',
    again: ['admin', 'tenant', tenantId],
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={word}
      action={`Save ${what}`}
      other={isOwn && <Button onClick={() => form.submit({ isDefault: true })}>Use server default</Button>}
      onClose={onClose}
    >
      <TextField
        label={unit}
        hint={hint}
        inputMode="numeric"
        required={empty === undefined}
        pattern="[1-9][0-9]*"
        title={rule}
        {...form.field('value')}
      />
    </FormDialog>
  );
}
