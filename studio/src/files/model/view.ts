import type { FilesFilter, FilesOrder, FileStatus } from '../../../../clients/js/src/generated/files';
import { filesNamed } from '../../ui/use-search';
import { STATES } from './file-record';

/** View of the list, as in the URL. */
export interface View {
  /** The prefix of the open folder, such as `a/b/`; empty at the top. */
  folder: string;
  /** Whether folders are shown. A filter searches everything below the open one. */
  hasFolders: boolean;
  filter: FilesFilter;
  order: FilesOrder;
  isFiltered: boolean;
}

type Filters = Readonly<Record<string, string>>;

/** Sort orders of the service by their URL parameter. */
const ORDERS: Record<string, FilesOrder> = {
  Created: 'OLDEST',
  Name: 'NAME',
  Size: 'SMALLEST',
  '-Size': 'LARGEST',
  '-Modified': 'RECENTLY_UPDATED',
  Expires: 'EXPIRES_SOON',
};

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function viewOf({ folder = '', name, status, from, to, below, sort }: Filters, mayReadFolders: boolean): View {
  const isFiltered = Boolean(name || status || from || to);
  const text = name?.trim() ?? '';
  const order = ORDERS[sort ?? ''] ?? 'NEWEST';
  if (ID.test(text)) return { folder, hasFolders: false, order, isFiltered, filter: { id: text.toLowerCase() } };
  const hasFolders = mayReadFolders && !isFiltered && !below;
  const createdAt = rangeOf(from, to);
  const filter: FilesFilter = {
    ...(hasFolders ? { folder } : filesNamed(text, folder)),
    ...(isStatus(status) && { status }),
    ...(createdAt && { createdAt }),
  };
  return { folder, hasFolders, order, isFiltered, filter };
}

const isStatus = (text: string | undefined): text is FileStatus => STATES.some(({ status }) => status === text);

function rangeOf(from: string | undefined, to: string | undefined) {
  const [first, last] = [timeOf(from), timeOf(to)];
  return first || last ? { ...(first && { from: first }), ...(last && { to: last }) } : undefined;
}

function timeOf(text: string | undefined): string | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Returns the parent folders of a folder, from the top. */
export function wayTo(folder: string): { name: string; prefix: string }[] {
  const way: { name: string; prefix: string }[] = [];
  for (let end = folder.indexOf('/'); end >= 0; end = folder.indexOf('/', end + 1)) {
    const prefix = folder.slice(0, end + 1);
    way.push({ prefix, name: prefix.slice(way.at(-1)?.prefix.length ?? 0, -1) });
  }
  return way;
}

/** Returns the folder of a file, as a name prefix; empty at the top. */
export const folderOf = (name: string | null): string => (name ?? '').slice(0, (name ?? '').lastIndexOf('/') + 1);

/** Converts a typed folder to a name prefix. */
export function prefixOf(typed: string): string {
  const path = typed.trim().replace(/^\/+/, '');
  return path && !path.endsWith('/') ? `${path}/` : path;
}
