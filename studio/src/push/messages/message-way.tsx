import { CheckIcon, ClockIcon, Cross2Icon, DotFilledIcon } from '@radix-ui/react-icons';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { plural } from '../../ui/format';
import { Time } from '../../ui/status';
import { isFinal, type Message } from '../model/message';
import { wayOf, type Station } from '../model/way';
import styles from '../push.module.css';

const ICONS = { done: CheckIcon, now: ClockIcon, missed: Cross2Icon, ahead: DotFilledIcon };
const WORDS = { done: 'done', now: 'now', missed: 'not reached', ahead: 'not yet' };

/** Delivery of a message as four steps. */
export function MessageWay({ message }: { message: Message }) {
  const connected = useConnected(message);
  return (
    <section className={styles.way} aria-label="Delivery">
      <ol>
        {wayOf(message).map((station, at) => (
          <StationItem key={at} station={station} extra={at === 1 ? connected : undefined} />
        ))}
      </ol>
    </section>
  );
}

function StationItem({ station: { title, state, at, atWord, text }, extra }: { station: Station; extra: string | undefined }) {
  const Icon = ICONS[state];
  return (
    <li className={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="point">
        <Icon aria-hidden />
      </span>
      <div>
        <strong>{title}</strong>
        <span className="visually-hidden"> ({WORDS[state]})</span>
        {at && (
          <p className="muted small">
            {atWord && `${atWord} `}
            <Time at={at} />
          </p>
        )}
        {text && <p className="muted small break">{text}</p>}
        {extra && <p className="small break">{extra}</p>}
      </div>
    </li>
  );
}

/** Connections of the recipient while the message is pending. */
function useConnected({ recipient, topic, status }: Message): string | undefined {
  const refusal = useRefusal(['websockets-manager', 'query', 'connections']);
  const { data } = useRead({
    queryKey: ['push', 'connections', recipient],
    read: ({ push }, signal) => push.connections({ recipient }, undefined, { signal }),
    enabled: !refusal && !isFinal({ status }),
    live: 'websockets-manager',
  });
  if (!data || isFinal({ status })) return undefined;
  const fitting = topic === null ? data : data.filter((connection) => connection.topic === topic);
  return fitting.length > 0 ? `${plural(fitting.length, 'connection')} open now` : 'Recipient offline';
}
