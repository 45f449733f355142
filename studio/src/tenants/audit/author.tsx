import { useDescription } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import type { WholeRecord } from '../../log/data/log-record';
import { authorOf, keyNameIn } from './audit-entry';

/** Author of an action: the name of a key, from the latest record of that key, else its prefix. */
export function Author({ of: record }: { of: WholeRecord }) {
  const own = useDescription();
  const { authorId, author } = record;
  const isKey = Boolean(author?.name?.startsWith('psk_'));
  const { data } = useRead({
    queryKey: ['log', 'key name', authorId],
    read: async ({ log }, signal) => {
      const filter = { documentType: 'key', documentId: authorId! };
      const { items } = await log.logs({ filter, limit: 1 }, { items: { comment: true } }, { signal });
      return keyNameIn(items[0]?.comment) ?? null;
    },
    enabled: isKey && authorId !== own.id,
    staleTime: Infinity,
  });
  const name = isKey ? (authorId === own.id ? own.name : data) : undefined;
  return (
    <span className="truncate" title={name ? authorOf(record) : undefined}>
      {name ?? authorOf(record)}
    </span>
  );
}
