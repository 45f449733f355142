import { type Filter, FilterBar } from '../../ui/filter-bar';
import type { Listing } from '../../ui/list-page';
import { STATES } from '../model/file-record';

const FILTERS: readonly Filter[] = [
  { kind: 'choice', name: 'status', word: 'Status', values: STATES.map(({ status, word }) => [status, word]) },
  { kind: 'time', word: 'Created', from: 'from', to: 'to' },
];
/** A filter searches everything below the open folder. */
const WITH_FOLDERS: readonly Filter[] = [...FILTERS, { kind: 'flag', name: 'below', word: 'Include subfolders' }];

/** Filters of the files below the open folder. */
export const FileFilters = ({ list, hasFolders }: { list: Listing<unknown>; hasFolders: boolean }) => (
  <FilterBar
    search={{ name: 'name', label: 'Name or ID' }}
    filters={hasFolders ? WITH_FOLDERS : FILTERS}
    list={list}
    counted={['item', 'items']}
  />
);
