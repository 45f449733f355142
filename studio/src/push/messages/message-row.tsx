import { useEffect } from 'react';
import { Status, Time } from '../../ui/status';
import { firstLine, isFinal, type Message, stateOf } from '../model/message';

/** A message in the list. While it waits, it is watched for as long as it is in sight. */
export function MessageRow({ message, watched }: { message: Message; watched: Map<string, Message> }) {
  const { id, recipient, topic, createdAt } = message;
  useEffect(() => {
    if (isFinal(message)) return undefined;
    watched.set(id, message);
    return () => void watched.delete(id);
  }, [id, message, watched]);
  return (
    <span className="push-row">
      <span className="state">
        <Status {...stateOf(message)} />
      </span>
      <strong className="name truncate">{recipient}</strong>
      <span className="text truncate muted">{firstLine(message.message)}</span>
      {topic !== null && <span className="topic truncate">{topic}</span>}
      <span className="at muted small">
        <Time at={createdAt} />
      </span>
    </span>
  );
}
