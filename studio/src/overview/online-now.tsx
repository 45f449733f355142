import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi, useRefusal } from '../api/api-context';
import { keptLive } from '../api/live';
import { formatCount, plural } from '../ui/format';
import styles from './overview.module.css';

const SHOWN = 5;

/** Number of connected recipients, with some names. */
export function OnlineNow() {
  const { push } = useApi();
  const refusal = useRefusal(['websockets-manager', 'query', 'onlineRecipients']);
  const { data } = useQuery({
    queryKey: ['push', 'online now'],
    queryFn: ({ signal }) =>
      push.onlineRecipients({ limit: SHOWN }, { count: true, items: { recipient: true, connections: true } }, { signal }),
    enabled: !refusal,
    meta: keptLive('websockets-manager'),
  });
  if (refusal || !data) return null;
  return (
    <section aria-labelledby="online" className="stack tight">
      <h2 id="online">Online now</h2>
      <ul className={styles.figures}>
        <li>
          <Link href="/push/online">
            <span className="muted grow">Recipients</span>
            <span className={styles.figure}>{formatCount(data.count ?? 0)}</span>
          </Link>
        </li>
        {data.items.map(({ recipient, connections }) => (
          <li key={recipient}>
            <Link href={`/push?recipient=${encodeURIComponent(recipient!)}`}>
              <span className="grow truncate">{recipient}</span>
              <span className="small muted">{plural(connections ?? 1, 'connection')}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
