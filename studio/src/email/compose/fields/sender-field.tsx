import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi, useRefusal } from '../../../api/api-context';
import { Field, TextField } from '../../../ui/controls';
import { useDomains } from '../../domains/use-domains';
import { MAY_LIST, MAY_LIST_DOMAINS, MAY_LIST_SENDERS } from '../../mails';
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
  const last = useLastDefault(verified, domains);
  const hint = refusal ? (
    `${refusal}, so you can’t choose another address.`
  ) : (
    <>
      To send from another address, verify a <Link href="/senders">sender</Link> or a <Link href="/domains">domain</Link>.
    </>
  );
  return (
    <div className={styles.pair}>
      <Field label="From" fault={domain ? undefined : fault} hint={verified.length + domains.length === 0 ? hint : undefined}>
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={domain ? `@${domain}` : from}
            onChange={({ target }) => onChange({ from: target.value })}
          >
            <option value="">Server default{last && ` (last used ${last})`}</option>
            {[...new Set([...(from && !domain ? [from] : []), ...verified])].map((address) => (
              <option key={address} value={address}>
                {address}
              </option>
            ))}
            {domains.map((one) => (
              <option key={one} value={`@${one}`}>
                Any address of {one}
              </option>
            ))}
          </select>
        )}
      </Field>
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

/**
 * Returns the address of the server, as the newest mail from an address that is not verified has it: only the server sends from such a
 * one. Undefined if no recent mail tells.
 */
function useLastDefault(verified: readonly string[], domains: readonly string[]): string | undefined {
  const { email } = useApi();
  const refusal = useRefusal(MAY_LIST);
  const { data } = useQuery({
    queryKey: ['email', 'recent senders'],
    queryFn: ({ signal }) => email.messages({}, { items: { from: { address: true } } }, { signal }),
    enabled: !refusal,
    staleTime: 60_000,
  });
  const isOwn = (address: string) => verified.includes(address) || domains.some((domain) => address.endsWith(`@${domain}`));
  return data?.items.map(({ from }) => from?.address ?? '').find((address) => address && !isOwn(address));
}

/** Accepts whole addresses too. */
const withDomain = (text: string, domain: string) => (text.endsWith(`@${domain}`) ? text : `${text}@${domain}`);

function useVerifiedDomains(): string[] {
  const refusal = useRefusal(MAY_LIST_DOMAINS);
  const { data } = useDomains(!refusal);
  return (data ?? []).flatMap(({ domain, status }) => (domain && status === 'VERIFIED' ? [domain] : []));
}
