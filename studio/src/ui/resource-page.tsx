import { type ReactNode, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useRefusal } from '../api/api-context';
import type { Right } from '../api/scope';
import { capital } from './faults';
import { type Filter, FilterBar } from './filter-bar';
import { ListPage, type Listing, useCreate } from './list-page';
import { NoDetail } from './no-detail';
import { NoMatch } from './no-match';
import { PageHead } from './page';
import type { Column } from './records';
import { useFilters } from './use-search';

type Values = Readonly<Record<string, string>>;

/** Properties of the page of a room that has several. */
export interface RoomPageProps {
  tabs: ReactNode;
  /** Path segment of the open item. */
  shown: string | undefined;
}

interface Creation {
  /** Id of its command in the palette. */
  id: string;
  /** Label of its button, `New` and the word by default. */
  word?: string;
  rights: readonly Right[];
  renderDialog: (close: () => void, onCreated: (segment: string) => void) => ReactNode;
}

interface ResourcePageProps<T> {
  /** Singular of the items, such as `domain`. */
  word: string;
  /** Path of the page within its room. */
  path: string;
  /** Heading of the room; without it the room has the header. */
  heading?: string;
  tabs?: ReactNode;
  refusal: string | undefined;
  list: Listing<T>;
  columns: readonly Column<T>[];
  keyOf: (item: T) => string;
  /** Path segment of an item; its key by default. */
  segmentOf?: (item: T) => string;
  /** Path of an item that opens elsewhere than beside the list. */
  hrefOf?: (item: T) => string;
  /** Text filter. Without `textOf` the service applies it. */
  search?: { name: string; label: string; textOf?: (item: T) => string };
  filters?: readonly Filter[];
  /** Content at the end of the filters. */
  note?: ReactNode;
  /** Returns whether an item of a fully loaded list passes the filters. */
  fits?: (item: T, values: Values) => boolean;
  create: Creation;
  /** Content of an empty list. */
  renderEmpty: (action: ReactNode) => ReactNode;
  shown?: string | undefined;
  isShown?: (item: T, shown: string) => boolean;
  /** Detail of a listed item, or one that reads its item by the path segment. */
  renderItem?: (item: T, onClose: () => void) => ReactNode;
  renderShown?: (shown: string, onClose: () => void) => ReactNode;
}

/** Page of resources: their list with its filters, the dialog that creates one, and the detail of the open one. */
export function ResourcePage<T>(props: ResourcePageProps<T>) {
  const {
    word,
    path,
    heading,
    tabs,
    refusal,
    list,
    columns,
    keyOf,
    segmentOf = keyOf,
    filters,
    create: creation,
    renderEmpty,
  } = props;
  const { search, fits, shown, isShown = (item, name) => keyOf(item) === name, renderItem, renderShown, note } = props;
  const words = `${word}s`;
  const creating = { id: creation.id, word: creation.word ?? `New ${word}`, refusal: useRefusal(...creation.rights) };
  const create = useCreate(creating);
  const [, navigate] = useLocation();
  const query = useSearch();
  const [values] = useFilters();
  const items = useMemo(() => {
    const text = search?.textOf ? (values[search.name] ?? '').trim().toLowerCase() : '';
    const isFound = (item: T) => text === '' || search!.textOf!(item).toLowerCase().includes(text);
    return list.items.filter((item) => isFound(item) && (fits?.(item, values) ?? true));
  }, [list.items, values, search, fits]);
  const found = { ...list, items };
  const below = path === '/' ? '' : path;
  const { hrefOf = (item) => `${below}/${segmentOf(item)}${query && `?${query}`}` } = props;
  const close = () => navigate(`${path}${query && `?${query}`}`);
  const open = shown === undefined ? undefined : list.items.find((item) => isShown(item, shown));
  const beside = () => {
    if (shown === undefined || !(renderItem || renderShown)) return undefined;
    if (renderShown) return renderShown(shown, close);
    if (open) return renderItem!(open, close);
    const reading = { error: null, isPending: list.isLoading || list.hasMore, refetch: list.readAgain };
    return !list.error && <NoDetail word={word} query={reading} onClose={close} />;
  };
  const bar = (
    <FilterBar {...(search && { search })} {...(filters && { filters })} list={found} counted={[word, words]}>
      {note}
      {heading === undefined && create.button}
    </FilterBar>
  );
  return (
    <>
      <ListPage<T>
        head={
          heading !== undefined && (
            <PageHead title={capital(words)} shown={heading} actions={create.button}>
              {tabs}
            </PageHead>
          )
        }
        refusal={refusal}
        tried={`list ${words}`}
        label={capital(words)}
        list={found}
        keyOf={keyOf}
        hrefOf={hrefOf}
        openKey={open && keyOf(open)}
        columns={columns}
        filters={(heading !== undefined || list.items.length > 0) && bar}
        empty={list.items.length > 0 ? <NoMatch what={words} /> : renderEmpty(create.button)}
        detail={beside()}
      />
      {create.isOpen &&
        creation.renderDialog(create.close, (segment) => {
          create.close();
          navigate(`${below}/${segment}`);
        })}
    </>
  );
}
