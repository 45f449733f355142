import { Meter as BaseMeter } from '@base-ui/react/meter';
import type { LimitName } from '../api/client';
import { formatBytes, formatCount } from './format';

export const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  storedBytes: 'Storage',
  files: 'Files',
  waitingMessages: 'Waiting messages',
  templates: 'Templates',
  stylesheets: 'Stylesheets',
  mailsPerDay: 'Emails today (UTC)',
  waitingEvents: 'Waiting events',
};

export const formatLimit = (name: LimitName, value: number): string =>
  name === 'storedBytes' ? formatBytes(value) : formatCount(value);

/** Share of a limit above which it is highlighted. */
export const NEARLY_FULL = 0.9;

/** Usage of a limit; nothing without a limit. */
export function Meter({ name, used, limit }: { name: LimitName; used: number; limit: number | null }) {
  if (limit === null) return null;
  return (
    <BaseMeter.Root
      className={used >= limit * NEARLY_FULL ? 'meter full' : 'meter'}
      aria-label={LIMIT_WORDS[name]}
      value={Math.min(used, limit)}
      max={limit}
      getAriaValueText={() => `${formatLimit(name, used)} of ${formatLimit(name, limit)}`}
    >
      <BaseMeter.Track className="meter-track">
        <BaseMeter.Indicator className="meter-used" />
      </BaseMeter.Track>
    </BaseMeter.Root>
  );
}
