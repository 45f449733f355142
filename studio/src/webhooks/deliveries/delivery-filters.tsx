import { Button } from '../../ui/controls';
import { fromField, toField } from '../../ui/local-time';
import { FilterField } from '../../ui/page';
import { DELIVERY_WORDS } from '../model/health';
import { SOURCES, typeOf } from '../model/sources';
import type { Source } from '../model/webhook';

interface Filters {
  status: string | undefined;
  event: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

interface FiltersProps {
  source: Source;
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}

/** Status, event and time of the deliveries to show. */
export function DeliveryFilters({ source, filters: { status, event, from, to }, onChange }: FiltersProps) {
  return (
    <div className="webhook-filters">
      <select
        className="input"
        aria-label="Status"
        value={status ?? ''}
        onChange={({ target }) => onChange({ status: target.value })}
      >
        <option value="">Any status</option>
        {Object.entries(DELIVERY_WORDS).map(([one, { word }]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Event"
        value={event ?? ''}
        onChange={({ target }) => onChange({ event: target.value })}
      >
        <option value="">Any event</option>
        {Object.keys(SOURCES[source].events).map((one) => (
          <option key={one} value={one}>
            {typeOf(one)}
          </option>
        ))}
      </select>
      <FilterField
        label="From"
        type="datetime-local"
        value={toField(from, 'minute')}
        onChange={(local) => onChange({ from: fromField(local) })}
      />
      <FilterField
        label="To"
        type="datetime-local"
        value={toField(to, 'minute')}
        onChange={(local) => onChange({ to: fromField(local) })}
      />
      {(status || event || from || to) && (
        <Button
          size="small"
          look="plain"
          onClick={() => onChange({ status: undefined, event: undefined, from: undefined, to: undefined })}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}
