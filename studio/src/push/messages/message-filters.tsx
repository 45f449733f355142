import { BarChartIcon } from '@radix-ui/react-icons';
import { useRefusal } from '../../api/api-context';
import { Hint } from '../../ui/controls';
import { Chip, FilterField } from '../../ui/page';
import { type Change, type Filters, isState, type State, STATES } from '../model/filters';
import { ALL_FILTERS, MoreFilters } from '../parts/more-filters';

/** The filters of a list of messages. Every one of them is in the address. */
export function MessageFilters({ filters, change }: { filters: Filters; change: Change }) {
  const choose = (status: State | undefined) => change({ status, by: undefined });
  return (
    <div className="filters">
      <FilterField
        label="Recipient, whole name"
        isMain
        value={filters['recipient'] ?? ''}
        onChange={(recipient) => change({ recipient })}
      />
      <div className="row push-states" role="group" aria-label="State">
        <Chip isActive={!isState(filters['status'])} onClick={() => choose(undefined)}>
          All
        </Chip>
        {Object.entries(STATES).map(([status, word]) => (
          <Chip key={status} isActive={filters['status'] === status} onClick={() => choose(status as State)}>
            {word}
          </Chip>
        ))}
      </div>
      {filters['status'] === 'PENDING' && (
        <Chip isActive={filters['by'] === 'recipient'} onClick={() => change({ by: filters['by'] ? undefined : 'recipient' })}>
          By recipient
        </Chip>
      )}
      <MoreFilters names={ALL_FILTERS} filters={filters} change={change} />
      <LastDayChip isShown={Boolean(filters['day'])} onShow={(isShown) => change({ day: isShown ? 'shown' : undefined })} />
    </div>
  );
}

/** Opens and closes the chart of the last day. */
function LastDayChip({ isShown, onShow }: { isShown: boolean; onShow: (isShown: boolean) => void }) {
  const refusal = useRefusal(['websockets-manager', 'query', 'messageActivity']);
  const chip = (
    <button
      type="button"
      className={isShown && !refusal ? 'chip active push-day-chip' : 'chip push-day-chip'}
      aria-expanded={isShown && !refusal}
      aria-disabled={refusal ? true : undefined}
      onClick={() => refusal || onShow(!isShown)}
    >
      <BarChartIcon aria-hidden />
      Last day
    </button>
  );
  return refusal ? <Hint text={refusal}>{chip}</Hint> : chip;
}
