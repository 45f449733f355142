import { TriangleDownIcon, TriangleUpIcon } from '@radix-ui/react-icons';
import { useMemo } from 'react';
import type { Column, RecordsProps } from './records';
import { useFilters } from './use-search';

/** Alignment of a cell and its header. */
export const placeOf = <T,>({ width, share, room, line, wraps, isNumber }: Column<T>) => ({
  className: ['cell', width === undefined && 'grow', room, line && `in-${line}`, wraps && 'wraps', isNumber && 'number']
    .filter(Boolean)
    .join(' '),
  ...(width !== undefined && { style: { width } }),
  ...(share !== undefined && { style: { flexGrow: share } }),
});

interface Sorting {
  sort: string | undefined;
  onSort: (word: string) => void;
  /** Whether the whole list is loaded, so that every column can sort it. */
  isWhole: boolean;
}

/** Headers of a list, or the actions on the chosen items. */
export function Heads<T>({ columns, choice, sort, onSort, isWhole }: Pick<RecordsProps<T>, 'columns' | 'choice'> & Sorting) {
  if (choice?.actions) {
    return (
      <div role="row" className="list-head chosen">
        <span role="gridcell" className="row grow">
          {choice.all}
          {choice.actions}
        </span>
      </div>
    );
  }
  return (
    <div role="row" className="list-head">
      {choice && <span role="columnheader">{choice.all}</span>}
      {columns.map((column) => {
        const { word } = column;
        const isUp = sort === word;
        const isSorted = isUp || sort === `-${word}`;
        const sorts = sortsOf(column, isWhole);
        return (
          <span
            key={word}
            role="columnheader"
            data-word={word}
            aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
            {...placeOf(column)}
          >
            {sorts.length > 0 ? (
              <button
                type="button"
                className="sort"
                aria-label={`Sort by ${word}`}
                onClick={() => onSort(sorts[sorts.indexOf(sort ?? '') + 1] ?? '')}
              >
                {word}
                {isSorted && (isUp ? <TriangleUpIcon aria-hidden /> : <TriangleDownIcon aria-hidden />)}
              </button>
            ) : (
              <span className="truncate">{word}</span>
            )}
          </span>
        );
      })}
    </div>
  );
}

/** Sort orders of a column, as URL parameters: both for a fully loaded list, else those of the service. */
function sortsOf<T>({ word, sortBy, served }: Column<T>, isWhole: boolean): string[] {
  if (!sortBy || !(isWhole || served)) return [];
  const has = isWhole ? 'both' : served;
  return [...(has === 'down' ? [] : [word]), ...(has === 'up' ? [] : [`-${word}`])];
}

const ORDER = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Returns the items in the order of the URL. A partially loaded list is sorted by the service. */
export function useSorted<T>(
  all: readonly T[],
  columns: readonly Column<T>[],
  isWhole: boolean,
): { items: readonly T[] } & Sorting {
  const [{ sort }, change] = useFilters();
  const column = sort ? columns.find(({ word }) => word === sort.replace(/^-/, '')) : undefined;
  const by = isWhole ? column?.sortBy : undefined;
  const isSorted = sort !== undefined && column !== undefined && sortsOf(column, isWhole).includes(sort);
  const items = useMemo(() => {
    if (!by) return all;
    const turn = sort!.startsWith('-') ? -1 : 1;
    return all
      .map((item) => ({ item, value: by(item) }))
      .sort((one, other) => turn * compare(one.value, other.value))
      .map(({ item }) => item);
  }, [all, by, sort]);
  return { items, sort: isSorted ? sort : undefined, onSort: (word) => change({ sort: word }), isWhole };
}

const compare = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : ORDER.compare(String(one), String(other));
