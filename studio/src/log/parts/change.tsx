import { ArrowRightIcon } from '@radix-ui/react-icons';
import { useMemo } from 'react';
import { shownValue } from '../data/log-record';
import { diffWords, type Part } from '../data/word-diff';
import styles from '../log.module.css';

interface Value {
  display: string | null;
  raw: string | null;
}
interface ChangeProps {
  before: Value | null;
  after: Value | null;
}

const SHORT = 200;
/** Number of characters that fit beside each other on a phone. */
const NARROW = 36;
const short = (text: string | undefined) => (text && text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

/** A change in one line: the old value, an arrow, the new value. */
export function ChangeLine({ before, after }: ChangeProps) {
  const old = short(shownValue(before));
  const now = short(shownValue(after));
  if (old === undefined && now === undefined) return undefined;
  return (
    <span className={styles.change}>
      {old !== undefined && <span className={`${styles.old} truncate muted`}>{old || '""'}</span>}
      {old !== undefined && <ArrowRightIcon aria-label="became" width={12} height={12} />}
      <span className="truncate">{now === undefined ? <em className="muted">no value</em> : now || '""'}</span>
    </span>
  );
}

/** A change with the old value beside the new one, and changed words marked. */
export function ChangeBoth({ before, after }: ChangeProps) {
  const old = shownValue(before);
  const now = shownValue(after);
  const parts = useMemo(() => diffWords(old ?? '', now ?? ''), [old, now]);
  const isShort = Math.max(old?.length ?? 0, now?.length ?? 0) <= NARROW;
  return (
    <div className={isShort ? `${styles.both} ${styles.short}` : styles.both}>
      <Side word="Before" text={old} parts={parts.filter(({ kind }) => kind !== 'new')} raw={before?.raw} />
      <Side word="After" text={now} parts={parts.filter(({ kind }) => kind !== 'old')} raw={after?.raw} />
    </div>
  );
}

interface SideProps {
  word: string;
  text: string | undefined;
  parts: readonly Part[];
  raw: string | null | undefined;
}

function Side({ word, text, parts, raw }: SideProps) {
  return (
    <div className={styles.side}>
      <span className="muted small">{word}</span>
      <div className={`${styles.value} break`}>
        {text === undefined ? <span className="muted">no value</span> : parts.map((part, at) => <Word key={at} part={part} />)}
      </div>
      {raw !== null && raw !== undefined && raw !== text && (
        <span className="small muted break">
          Stored as <code>{raw}</code>
        </span>
      )}
    </div>
  );
}

function Word({ part: { kind, text } }: { part: Part }) {
  if (kind === 'same') return text;
  return kind === 'old' ? <del>{text}</del> : <ins>{text}</ins>;
}
