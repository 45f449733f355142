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
