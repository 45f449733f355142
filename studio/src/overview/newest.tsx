import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Log } from '../../../clients/js/src/generated/log';
import type { Selected } from '../../../clients/js/src/selection';
import { useApi, useDescription } from '../api/api-context';
import { missingEntry, type Right } from '../api/scope';
import { keptLive } from '../api/live';
import { writtenBriefly } from '../email/words';
import { shownName } from '../files/model/file-record';
import { attributeName, shownValue } from '../log/data/log-record';
import { Time } from '../ui/status';
import styles from './overview.module.css';

const OF_EACH = 6;
const SHOWN = 8;

interface Event {
  at: string;
  /** Kind of object, such as `Email`. */
  word: string;
  text: string;
  href: string;
}

/** Newest objects of every kind that the key may list, in one order. */
export function Newest() {
  const sources = useSources();
  const events = useQueries({
    queries: sources.map(({ name, right, read }) => ({
      queryKey: ['overview', 'newest', name],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(signal),
      meta: keptLive(right[0]),
    })),
    combine: (reads) =>
      reads
        .flatMap(({ data }) => data ?? [])
        .sort((one, other) => other.at.localeCompare(one.at))
        .slice(0, SHOWN),
  });
  if (events.length === 0) return null;
  return (
    <section className="stack tight" aria-labelledby="newest">
      <h2 id="newest">Latest activity</h2>
      <ul className={styles.rows}>
        {events.map(({ at, word, text, href }) => (
          <li key={href}>
            <Link href={href}>
              <span className={styles.word}>{word}</span>
              <span className="grow truncate">{text}</span>
              <Time at={at} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const VALUE = { raw: true, display: true } as const;
const RECORD = {
  id: true,
  documentId: true,
  documentType: true,
  action: true,
  attributeId: true,
  attribute: { name: true },
  attributeOldValue: VALUE,
  attributeNewValue: VALUE,
  createdAt: true,
} as const;

/** Describes what a record changed, such as `: status paid → shipped`. */
function changeOf(record: Selected<Log, typeof RECORD>): string {
  const name = attributeName(record);
  const [old, now] = [shownValue(record.attributeOldValue), shownValue(record.attributeNewValue)];
  if (!name) return record.action ? `: ${record.action.toLowerCase()}` : '';
  if (now === undefined) return old === undefined ? `: ${name}` : `: ${name} removed`;
  return `: ${name} ${old === undefined ? now : `${old} → ${now}`}`;
}

function useSources() {
  const { files, email, push, log } = useApi();
  const { scope } = useDescription();
  const all: { name: string; right: Right; read: (signal: AbortSignal) => Promise<Event[]> }[] = [
    {
      name: 'files',
      right: ['file-management', 'query', 'files'],
      read: async (signal) => {
        const { items } = await files.files({ limit: OF_EACH }, { items: { id: true, name: true, createdAt: true } }, { signal });
        return items.map(({ id, name, createdAt }) => ({
          at: createdAt!,
          word: 'File',
          text: shownName(name),
          href: `/files/${id}`,
        }));
      },
    },
    {
      name: 'emails',
      right: ['email', 'query', 'messages'],
      read: async (signal) => {
        const fields = { id: true, subject: true, createdAt: true, to: { address: true, name: true } } as const;
        const { items } = await email.messages({ limit: OF_EACH }, { items: fields }, { signal });
        return items.map(({ id, subject, to, createdAt }) => ({
          at: createdAt!,
          word: 'Email',
          text: `${subject || '(no subject)'} to ${writtenBriefly(to)}`,
          href: `/email/${id}`,
        }));
      },
    },
    {
      name: 'messages',
      right: ['websockets-manager', 'query', 'messages'],
      read: async (signal) => {
        const { items } = await push.messages(
          { limit: OF_EACH },
          { items: { id: true, recipient: true, createdAt: true } },
          { signal },
        );
        return items.map(({ id, recipient, createdAt }) => ({
          at: createdAt!,
          word: 'Push',
          text: `Message to ${recipient}`,
          href: `/push/${id}`,
        }));
      },
    },
    {
      name: 'records',
      right: ['document-log', 'query', 'logs'],
      read: async (signal) => {
        const { items } = await log.logs({ limit: OF_EACH }, { items: RECORD }, { signal });
        return items.map((record) => ({
          at: record.createdAt!,
          word: 'Log',
          text: `${[record.documentType, record.documentId].filter(Boolean).join(' ')}${changeOf(record)}`,
          href: `/log/${record.id}`,
        }));
      },
    },
  ];
  return all.filter(({ right }) => missingEntry(scope, right) === undefined);
}
