import { Link } from 'wouter';
import { useRefusal } from '../../../api/api-context';
import { useRead } from '../../../api/use-read';
import { TextField } from '../../../ui/controls';
import { SelectField } from '../../../ui/fields';
import { useDomains } from '../../domains/use-domains';
import { MAY_LIST_DOMAINS, MAY_LIST_SENDERS } from '../../mails';
import { useSenders } from '../../senders/use-senders';
import styles from '../../email.module.css';

interface SenderFieldProps {
  from: string;
  name: string;
  onChange: (changes: { from?: string; fromName?: string }) => void;
  fault?: string | undefined;
}

/** Sender: the address of the server, a verified one, or any of a verified domain. */
export function SenderField({ from, name, onChange, fault }: SenderFieldProps) {
  const refusal = useRefusal(MAY_LIST_SENDERS);
  const { data } = useSenders(!refusal);
  const verified = (data ?? []).flatMap(({ address, status }) => (address && status === 'VERIFIED' ? [address] : []));
  const domains = useVerifiedDomains();
  const domain = verified.includes(from) ? undefined : domains.find((one) => from.endsWith(`@${one}`));
  const addresses = [...new Set([...(from && !domain ? [from] : []), ...verified])];
  const byDefault = useDefaultSender();
  const hint = refusal ? (
    `${refusal}, so you can’t choose another address.`
  ) : (
    <>
      To send from another address, verify a <Link href="/senders">sender</Link> or a <Link href="/domains">domain</Link>.
    </>
  );
  return (
    <div className={styles.pair}>
      <SelectField
        label="From"
        fault={domain ? undefined : fault}
        hint={verified.length + domains.length === 0 ? hint : undefined}
        words={[
          ['', byDefault ? `Server default (${byDefault})` : 'Server default'],
          ...addresses.map((address) => [address, address] as const),
          ...domains.map((one) => [`@${one}`, `Any address of ${one}`] as const),
        ]}
        value={domain ? `@${domain}` : from}
        onChange={(address) => onChange({ from: address })}
      />
      {domain && (
        <TextField
          label={`Address before @${domain}`}
          fault={fault}
          autoComplete="off"
          spellCheck={false}
          placeholder="info"
          value={from.slice(0, -domain.length - 1)}
          onChange={(text) => onChange({ from: withDomain(text.trim(), domain) })}
        />
      )}
      {from && <TextField label="Sender name" value={name} onChange={(text) => onChange({ fromName: text })} />}
    </div>
  );
}

/** Returns the address from which the server sends by default; undefined for a key that may not read it. */
function useDefaultSender(): string | undefined {
  const { data } = useRead({
    queryKey: ['email', 'default sender'],
    read: ({ email }, signal) => email.defaultSender({}, undefined, { signal }),
    right: ['email', 'query', 'defaultSender'],
    staleTime: Infinity,
  });
  return data?.address ?? undefined;
}

/** Accepts whole addresses too. */
const withDomain = (text: string, domain: string) => (text.endsWith(`@${domain}`) ? text : `${text}@${domain}`);

function useVerifiedDomains(): string[] {
  const refusal = useRefusal(MAY_LIST_DOMAINS);
  const { data } = useDomains(!refusal);
  return (data ?? []).flatMap(({ domain, status }) => (domain && status === 'VERIFIED' ? [domain] : []));
}
