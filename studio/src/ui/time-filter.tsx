import { Button } from './controls';
import { formatTime } from './format';
import { fromField, toField } from './zone';
import { TimeField } from './fields';

const HOUR_MS = 3_600_000;
const PRESETS = [
  ['Last hour', HOUR_MS],
  ['Last 24 hours', 24 * HOUR_MS],
  ['Last 7 days', 7 * 24 * HOUR_MS],
  ['Last 30 days', 30 * 24 * HOUR_MS],
] as const;

interface TimeFormProps {
  /** URL parameters of both times. */
  from: string;
  to: string;
  values: Readonly<Record<string, string>>;
  change: (changes: Record<string, string | undefined>) => void;
  onClose: () => void;
}

/** A time range picker. Each time applies as soon as it is picked. */
export function TimeForm({ from, to, values, change, onClose }: TimeFormProps) {
  const last = (ms: number) => {
    change({ [from]: new Date(Date.now() - ms).toISOString(), [to]: undefined });
    onClose();
  };
  const isReversed = Boolean(values[from] && values[to] && values[from] > values[to]);
  const field = (label: string, name: string, fault?: string) => (
    <TimeField
      label={label}
      fault={fault}
      step={1}
      defaultValue={toField(values[name])}
      onChange={(local) => change({ [name]: fromField(local) })}
    />
  );
  return (
    <div className="stack tight">
      <div className="row wrap">
        {PRESETS.map(([word, ms]) => (
          <Button key={word} size="small" onClick={() => last(ms)}>
            {word}
          </Button>
        ))}
      </div>
      {field('From', from)}
      {field('To', to, isReversed ? 'Must be after the start.' : undefined)}
      <div className="row">
        <Button size="small" look="primary" onClick={onClose}>
          Done
        </Button>
        {(values[from] || values[to]) && (
          <Button
            size="small"
            look="plain"
            onClick={() => {
              change({ [from]: undefined, [to]: undefined });
              onClose();
            }}
          >
            Clear
          </Button>
        )}
      </div>
    </div>
  );
}

/** Describes a time range; undefined if there is none. */
export function timeInWords(from: string | undefined, to: string | undefined): string | undefined {
  if (from && to) return `${shown(from)} to ${shown(to)}`;
  if (from) return `since ${shown(from)}`;
  return to && `until ${shown(to)}`;
}

const shown = (time: string) => (Number.isNaN(Date.parse(time)) ? time : formatTime(time));
