import { Button } from '../../ui/controls';
import { Empty } from '../../ui/states';
import type { Filters } from '../model/filters';

/** Shown when no object matches the filters. */
export function NoMatch({
  what,
  filters,
  change,
}: {
  what: string;
  filters: Filters;
  change: (changes: Record<string, undefined>) => void;
}) {
  const clear = () => change(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Empty title={`No ${what} match`} action={<Button onClick={clear}>Clear filters</Button>}>
      <p className="muted">Recipients and topics match exactly. Case-sensitive.</p>
    </Empty>
  );
}
