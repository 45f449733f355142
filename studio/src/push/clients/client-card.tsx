import { Cross2Icon } from '@radix-ui/react-icons';
import { memo, useSyncExternalStore } from 'react';
import type { State } from '../../../../clients/js/src/connect';
import { Button, IconButton } from '../../ui/controls';
import { formatClock } from '../../ui/format';
import { Status, type StatusKind } from '../../ui/status';
import { useStartPush } from '../model/draft';
import { type Entry, isOpen, type TestClient } from './test-client';
import styles from '../push.module.css';

const STATES: Readonly<Record<State['name'], { kind: StatusKind; word: string }>> = {
  connecting: { kind: 'wait', word: 'Connecting' },
  open: { kind: 'good', word: 'Open' },
  waiting: { kind: 'wait', word: 'Reconnecting' },
  hidden: { kind: 'none', word: 'Hidden' },
  closed: { kind: 'none', word: 'Closed' },
};

/** A simulated recipient, and everything it received. */
export function ClientCard({ client, onRemove }: { client: TestClient; onRemove: () => void }) {
  const { state, entries } = useSyncExternalStore(client.subscribe, client.read);
  const startPush = useStartPush();
  const { recipient, topic, confirm } = client.settings;
  const push = () => startPush({ recipients: [recipient], topic });
  const received = entries.filter(({ kind }) => kind === 'message').length;
  return (
    <section className="card stack tight" aria-label={`Test client ${recipient}`}>
      <div className="row">
        <h2 className="grow truncate" title={recipient}>
          {recipient}
        </h2>
        <Status {...STATES[state.name]} />
        {state.name === 'closed' && (
          <IconButton label={`Remove test client ${recipient}`} look="plain" size="small" onClick={onRemove}>
            <Cross2Icon />
          </IconButton>
        )}
      </div>
      <p className="muted small truncate">{topic ? `Topic ${topic}` : 'No topic'}</p>
      <div className="row">
        <Button size="small" right={['websockets-manager', 'mutation', 'pushMessage']} onClick={push}>
          Send a message
        </Button>
        {state.name !== 'closed' && (
          <Button size="small" onClick={() => client.close()}>
            Disconnect
          </Button>
        )}
        <span className={`muted small ${styles.received}`}>{received} received</span>
      </div>
      <ol className={styles.log} tabIndex={0} aria-label={`Messages of ${recipient}`} aria-live="polite">
        {entries.map((entry) => (
          <EntryItem
            key={entry.key}
            entry={entry}
            onAcknowledge={confirm === 'hand' && isOpen(entry) && state.name === 'open' ? client : undefined}
          />
        ))}
      </ol>
    </section>
  );
}

const EntryItem = memo(function EntryItem({ entry, onAcknowledge }: { entry: Entry; onAcknowledge: TestClient | undefined }) {
  const clock = (
    <time dateTime={entry.at} className="muted small">
      {formatClock(new Date(entry.at))}
    </time>
  );
  if (entry.kind === 'state') {
    return (
      <li className="muted small">
        {clock}
        <span>{wordsOf(entry.state)}</span>
      </li>
    );
  }
  const { message, acknowledgedAt, times } = entry;
  return (
    <li>
      {clock}
      <div className="stack tight">
        <pre className={`break ${styles.receivedText}`}>{message.message}</pre>
        <div className={`row wrap small muted ${styles.about}`}>
          {message.globalMessageId && <span>to everyone</span>}
          {message.topic !== null && <span className="break">topic {message.topic}</span>}
          {times > 1 && <span>came {times} times</span>}
          {acknowledgedAt && <span>acknowledged at {formatClock(new Date(acknowledgedAt))}</span>}
          {onAcknowledge && (
            <Button size="small" onClick={() => onAcknowledge.acknowledge(message.id)}>
              Acknowledge
            </Button>
          )}
        </div>
      </div>
    </li>
  );
});

/** Describes a change of the connection. */
function wordsOf(state: State): string {
  const code = 'code' in state && state.code !== undefined ? ` (${state.code})` : '';
  switch (state.name) {
    case 'connecting':
      return 'Connecting';
    case 'open':
      return 'Open';
    case 'waiting':
      return `Connection lost: ${state.reason}${code}. Retrying in ${Math.max(1, Math.round(state.retryInMs / 1_000))} s`;
    case 'hidden':
      return 'Paused while the page is hidden';
    case 'closed':
      return state.reason === 'close() was called' ? 'Closed by you' : `Closed: ${state.reason}${code}`;
  }
}
