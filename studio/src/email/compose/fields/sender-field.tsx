import { Link } from 'wouter';
import { useRefusal } from '../../../api/api-context';
import { Field, TextField } from '../../../ui/controls';
import { MAY_LIST_SENDERS } from '../../mails';
import { useSenders } from '../../senders/use-senders';

interface SenderFieldProps {
  from: string;
  name: string;
  onChange: (changes: { from?: string; fromName?: string }) => void;
  fault?: string | undefined;
}

/** The address that a mail comes from: that of the server, or one whose reader agreed. */
export function SenderField({ from, name, onChange, fault }: SenderFieldProps) {
  const refusal = useRefusal(MAY_LIST_SENDERS);
  const { data } = useSenders(!refusal);
  const verified = (data ?? []).flatMap(({ address, status }) => (address && status === 'VERIFIED' ? [address] : []));
  const hint = refusal ? (
    `${refusal}, so other addresses are not known here.`
  ) : (
    <>
      Other addresses appear once they are verified among the <Link href="/senders">senders</Link>.
    </>
  );
  return (
    <div className="email-pair">
      <Field label="From" fault={fault} hint={verified.length === 0 ? hint : undefined}>
        {(ids) => (
          <select {...ids} className="input" value={from} onChange={({ target }) => onChange({ from: target.value })}>
            <option value="">Address of the server</option>
            {[...new Set([...(from ? [from] : []), ...verified])].map((address) => (
              <option key={address} value={address}>
                {address}
              </option>
            ))}
          </select>
        )}
      </Field>
      {from && <TextField label="Name of the sender" value={name} onChange={(text) => onChange({ fromName: text })} />}
    </div>
  );
}
