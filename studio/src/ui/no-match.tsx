import type { ReactNode } from 'react';
import { Button } from './controls';
import { Empty } from './states';
import { useFilters } from './use-search';

/** Shown when no item matches the filters of the URL. */
export function NoMatch({ what, children }: { what: string; children?: ReactNode }) {
  const [filters, change] = useFilters();
  const clear = () => change(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Empty title={`No ${what} match`} action={<Button onClick={clear}>Clear filters</Button>}>
      {children && <p className="muted">{children}</p>}
    </Empty>
  );
}
