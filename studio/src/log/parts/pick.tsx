import { Link } from 'wouter';
import { useRead } from '../../api/use-read';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { isDamaged, type ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import styles from '../log.module.css';

export interface Choice {
  href: string;
  word: string;
  about: string;
}

const LOOKED_AT = 200;
const SHOWN = 12;

/** Choice among the names in the newest records. */
export function Pick({ title, choiceOf }: { title: string; choiceOf: (record: ListedRecord) => Choice | undefined }) {
  const { data, error, isPending, refetch } = useRead({
    queryKey: ['log', 'recent'],
    read: (api, signal) => readListed(api, { filter: {}, limit: LOOKED_AT }, signal),
  });
  if (isPending) return <Skeleton lines={6} label={`Loading ${title.toLowerCase()}`} />;
  if (error) return <ErrorNotice error={error} tried="load recent records" onRetry={() => void refetch()} />;
  const choices = new Map<string, Choice>();
  for (const record of data?.items ?? []) {
    const choice = isDamaged(record) ? undefined : choiceOf(record);
    if (choice && !choices.has(choice.href)) choices.set(choice.href, choice);
  }
  if (choices.size === 0) return undefined;
  return (
    <section className="stack tight" aria-label={title}>
      <h2>{title}</h2>
      <ul className={styles.picks}>
        {[...choices.values()].slice(0, SHOWN).map(({ href, word, about }) => (
          <li key={href}>
            <Link href={href} className={styles.pick}>
              <span className={`truncate ${styles.strong}`}>{word}</span>
              <span className="truncate muted small">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
