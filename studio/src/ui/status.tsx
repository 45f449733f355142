import {
  CheckCircledIcon,
  ClockIcon,
  CrossCircledIcon,
  DotFilledIcon,
  ExclamationTriangleIcon,
  InfoCircledIcon,
} from '@radix-ui/react-icons';
import { formatRelative, formatTime } from './format';
import { useNow } from './use-now';

export type StatusKind = 'good' | 'wait' | 'bad' | 'info' | 'none';

const STATUS_ICONS = {
  good: CheckCircledIcon,
  wait: ClockIcon,
  bad: CrossCircledIcon,
  info: InfoCircledIcon,
  none: DotFilledIcon,
  warning: ExclamationTriangleIcon,
};

/** A state as a word with an icon and a colour. */
export function Status({ kind, word }: { kind: StatusKind; word: string }) {
  const Icon = STATUS_ICONS[kind];
  return (
    <span className={`status ${kind}`}>
      <Icon aria-hidden width={14} height={14} />
      {word}
    </span>
  );
}

interface ReasonProps {
  /** Kind of the state that it explains; it has its colour. */
  kind: StatusKind | undefined;
  text: string | undefined;
  /** Whether it stands beside another text, which a list with a column of reasons leaves out. */
  isInline?: boolean;
}

/** Reason of a state in a row. */
export function Reason({ kind, text, isInline = false }: ReasonProps) {
  if (!text) return null;
  const names = ['cell-reason truncate', kind === 'none' || kind === 'bad' ? kind : 'wait', isInline && 'inline']
    .filter(Boolean)
    .join(' ');
  return (
    <span className={names} title={text}>
      {text}
    </span>
  );
}

/** A relative time; the exact one is shown on hover and for screen readers. */
export const Time = ({ at }: { at: string }) => <TimeAt key={at} at={at} />;

/** Counts from its first render, so another `at` needs a new one. */
function TimeAt({ at }: { at: string }) {
  const now = useNow();
  const exact = formatTime(at);
  return (
    <time dateTime={at} title={exact} className="time">
      <span aria-hidden>{formatRelative(at, now)}</span>
      <span className="visually-hidden">{exact}</span>
    </time>
  );
}
