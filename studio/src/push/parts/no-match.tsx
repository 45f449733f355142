import { Button } from '../../ui/controls';
import { Empty } from '../../ui/states';
import type { Filters } from '../model/filters';

/** Stands where filters leave nothing. */
export function NoMatch({
  what,
  filters,
  change,
}: {
  what: string;
  filters: Filters;
  change: (changes: Record<string, undefined>) => void;
}) {
  const names = Object.keys(filters).filter((name) => name !== 'day'); // the chart is no filter
  const clear = () => change(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <Empty title={`No ${what} matches`} action={<Button onClick={clear}>Remove all filters</Button>}>
      <p className="muted">Recipients and topics match as a whole, with upper and lower case.</p>
    </Empty>
  );
}
