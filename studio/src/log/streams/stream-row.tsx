import { Status } from '../../ui/status';
import { addressOf, healthOf, KIND_WORDS, type Stream, waitingWords } from './stream';

/** A stream in the list: its name and health, and below its kind, address and what waits. */
export function StreamRow({ stream }: { stream: Stream }) {
  const { kind, word, reason } = healthOf(stream);
  const address = addressOf(stream);
  return (
    <span className="log-stream">
      <span className="row">
        <span className="grow truncate" title={stream.name ?? undefined}>
          {stream.name}
        </span>
        <Status kind={kind} word={word} />
      </span>
      <span className="row small muted">
        <span className="log-stream-kind">{stream.destination?.kind && KIND_WORDS[stream.destination.kind]}</span>
        <span className="grow truncate" title={reason ?? address}>
          {reason ? <span className="log-stream-reason">{reason}</span> : address}
        </span>
        <span className="log-stream-waiting">{waitingWords(stream)}</span>
      </span>
    </span>
  );
}
