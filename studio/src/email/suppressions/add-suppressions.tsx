import { useState } from 'react';
import type { SuppressionReason } from '../../../../clients/js/src/generated/email';
import { TextField } from '../../ui/controls';
import { capital } from '../../ui/faults';
import { SelectField, TimeField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { formatCount, plural } from '../../ui/format';
import { fromField } from '../../ui/zone';
import { toasts } from '../../ui/toasts';
import { TokenField, WORDS } from '../../ui/token-field';
import { useForm } from '../../ui/use-form';
import { SUPPRESSION_WORDS } from '../words';
import { SUPPRESSIONS } from './use-suppressions';

/** Maximum that the service accepts per call. */
const MOST = 1_000;
const REASON_WORDS = Object.entries(SUPPRESSION_WORDS).map(([reason, { word }]) => [reason as SuppressionReason, word] as const);
const EMPTY = { addresses: [] as readonly string[], reason: 'MANUAL' as SuppressionReason, list: '', expiresAt: '' };

const addressCount = (count: number): string => plural(count, 'address', 'addresses');

/** Form that adds addresses. Refused ones stay in the field, each with its reason. */
export function AddSuppressions({ onClose }: { onClose: () => void }) {
  const [added, setAdded] = useState(0);
  const form = useForm({
    first: EMPTY,
    send: async ({ addresses, reason, list, expiresAt }, { email }): Promise<Refusal[]> => {
      const common = { reason, list: list || null, expiresAt: fromField(expiresAt) ?? null };
      const input = addresses.map((address) => ({ address, ...common }));
      const results = await email.createSuppressions({ input }, { error: { field: true, message: true } });
      return results.flatMap(({ error }, at) => (error ? [refusalOf(addresses[at]!, error)] : []));
    },
    again: SUPPRESSIONS,
    onDone: (refusals, { addresses }) => {
      const count = added + addresses.length - refusals.length;
      setAdded(count);
      form.set({ addresses: refusals.map(({ address }) => address) });
      if (refusals.length > 0) return;
      toasts.add({ title: `${addressCount(count)} suppressed` });
      onClose();
    },
  });
  const { addresses, reason } = form.values;
  const refused = form.result ?? [];
  const faultOf = (field: string) => refused.find((one) => one.field === field)?.reason;
  const ofAddresses = refused.filter(({ field, address }) => !(field in EMPTY) && addresses.includes(address));
  const isTooMany = addresses.length > MOST;
  return (
    <FormDialog
      form={form}
      title="Add suppressions"
      action="Add suppressions"
      isReady={addresses.length > 0 && !isTooMany}
      onClose={onClose}
    >
      <TokenField
        label="Addresses"
        hint="Press Enter after each address, or paste one per line."
        tokens={WORDS}
        faultOf={(address) => ofAddresses.find((one) => one.address === address)?.reason}
        {...form.field('addresses')}
        fault={
          isTooMany
            ? `Enter at most ${formatCount(MOST)} addresses. You entered ${formatCount(addresses.length)}.`
            : ofAddresses.length > 0
              ? `Correct ${addressCount(ofAddresses.length)}.`
              : undefined
        }
      />
      {added > 0 && (
        <p className="notice wait" role="status">
          {plural(added, 'address was', 'addresses were')} added.
        </p>
      )}
      <SelectField label="Reason" hint={SUPPRESSION_WORDS[reason].about} words={REASON_WORDS} {...form.field('reason')} />
      <TextField
        label="List"
        hint="Emails of this list aren’t sent. Leave empty for all emails."
        autoComplete="off"
        spellCheck={false}
        {...form.field('list')}
        fault={faultOf('list')}
      />
      <TimeField label="Ends" hint="Leave empty to never expire." {...form.field('expiresAt')} fault={faultOf('expiresAt')} />
    </FormDialog>
  );
}

/** A refused address, with the invalid field. */
interface Refusal {
  address: string;
  field: string;
  reason: string;
}

/** The error of one address has its path, such as `input.3.address`. */
function refusalOf(address: string, { field, message }: { field: string | null; message: string | null }): Refusal {
  const said = message ?? '';
  const bare = field && said.startsWith(`${field}: `) ? said.slice(field.length + 2) : said;
  return { address, field: field?.split('.').at(-1) ?? '', reason: capital(bare) };
}
