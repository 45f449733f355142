import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { Button } from '../../ui/controls';
import { formatCount, plural } from '../../ui/format';
import { Status } from '../../ui/status';
import { Outcome } from '../parts/outcome';
import { isFinal, type Message, stateOf } from '../model/message';
import { readStates } from '../model/read';
import { bringUpToDate } from '../model/use-live-list';
import styles from '../push.module.css';

/** Result of a push: the messages to named recipients, or the id of the message to everyone. */
export interface Pushed {
  globalMessageId: string | undefined;
  messages: readonly Message[];
}

const SHOWN = 200;

/** Outcome of a push, live until it is final. */
export function PushResults({ pushed, onClose, onAnother }: { pushed: Pushed; onClose: () => void; onAnother: () => void }) {
  const { globalMessageId } = pushed;
  return (
    <div className="stack">
      {globalMessageId ? (
        <>
          <Outcome globalMessageId={globalMessageId} />
          <p className="muted small">Delivery takes a few seconds.</p>
          <p>
            <Link href={`/global/${globalMessageId}`} onClick={onClose}>
              Show broadcast
            </Link>
          </p>
        </>
      ) : (
        <Named pushed={pushed.messages} onClose={onClose} />
      )}
      <div className="row">
        <Button look="primary" onClick={onAnother}>
          New message
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

function Named({ pushed, onClose }: { pushed: readonly Message[]; onClose: () => void }) {
  const messages = useLatest(pushed);
  const count = (wanted: string) => messages.filter(({ status }) => status === wanted).length;
  const [delivered, open, cancelled] = [count('DELIVERED'), count('PENDING'), count('CANCELLED')];
  return (
    <>
      <div className="row wrap" role="status" aria-label="Delivery status">
        <span className="small muted">{plural(messages.length, 'recipient')}</span>
        {delivered > 0 && <Status kind="good" word={`${formatCount(delivered)} acknowledged`} />}
        {open > 0 && <Status kind="wait" word={`${formatCount(open)} waiting`} />}
        {cancelled > 0 && <Status kind="bad" word={`${formatCount(cancelled)} not delivered`} />}
      </div>
      <ul className={styles.results} aria-label="Results">
        {messages.slice(0, SHOWN).map((message) => (
          <li key={message.id}>
            <Link href={`/${message.id}`} className="grow truncate" onClick={onClose}>
              {message.recipient}
            </Link>
            <Status {...stateOf(message)} />
          </li>
        ))}
      </ul>
      {messages.length > SHOWN && <p className="muted small">and {formatCount(messages.length - SHOWN)} more in Messages</p>}
    </>
  );
}

const MOST = 1_000;

/** Current messages of a push. They were created within a few milliseconds. */
function useLatest(messages: readonly Message[]): readonly Message[] {
  const queries = useQueryClient();
  const refusal = useRefusal(['websockets-manager', 'query', 'messages']);
  const times = messages.map(({ createdAt }) => createdAt).sort();
  const { data } = useRead({
    queryKey: ['push', 'results', messages[0]?.id],
    read: async (api, signal) => {
      const filter = {
        createdAt: { from: times[0]!, to: times.at(-1)! },
        ...(messages.length === 1 && { recipient: messages[0]!.recipient }),
      };
      return (await readStates(api, { filter, limit: MOST }, signal)).items;
    },
    enabled: !refusal && messages.length > 0,
    live: 'websockets-manager',
    isOnItsWay: (states: readonly Pick<Message, 'id' | 'status'>[]) => {
      const ids = new Set(messages.map(({ id }) => id));
      return states.some((message) => !isFinal(message) && ids.has(message.id));
    },
  });
  useEffect(() => {
    if (data) bringUpToDate<Message>(queries, ['push', 'messages'], data);
  }, [queries, data]);
  return useMemo(() => {
    const latest = new Map(data?.map((message) => [message.id, message]));
    return messages.map((message) => ({ ...message, ...latest.get(message.id) }));
  }, [messages, data]);
}
