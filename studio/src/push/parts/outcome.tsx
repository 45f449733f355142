import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { formatCount, plural } from '../../ui/format';
import { Skeleton } from '../../ui/states';
import { Status } from '../../ui/status';
import { isFinal, type Message } from '../model/message';

const COUNTED = 1_000;

/** Outcome of a message to everyone, recipient by recipient, as far as one page counts. */
export function Outcome({ globalMessageId }: { globalMessageId: string }) {
  const refusal = useRefusal(['websockets-manager', 'query', 'messages']);
  const { data } = useRead({
    queryKey: ['push', 'outcome', globalMessageId],
    read: ({ push }, signal) =>
      push.messages({ filter: { globalMessageId }, limit: COUNTED }, { items: { status: true }, nextToken: true }, { signal }),
    enabled: !refusal,
    live: 'websockets-manager',
    isOnItsWay: ({ items }) => items.length === 0 || !(items as Pick<Message, 'status'>[]).every(isFinal),
  });
  if (refusal) return null;
  if (!data) return <Skeleton lines={1} label="Counting recipients" />;
  const count = (wanted: string) => data.items.filter(({ status }) => status === wanted).length;
  const counts = [
    { kind: 'good', word: 'acknowledged', count: count('DELIVERED') },
    { kind: 'wait', word: 'waiting', count: count('PENDING') },
    { kind: 'bad', word: 'not delivered', count: count('CANCELLED') },
  ] as const;
  return (
    <div className="row wrap" role="status" aria-label="Delivery status">
      <span className="small muted">
        {data.nextToken ? `Of ${formatCount(data.items.length)} recipients:` : plural(data.items.length, 'recipient')}
      </span>
      {counts
        .filter((one) => one.count > 0)
        .map(({ kind, word, count: many }) => (
          <Status key={word} kind={kind} word={`${formatCount(many)} ${word}`} />
        ))}
    </div>
  );
}
