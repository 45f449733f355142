import { GlobeIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { imageDimensionsFromData } from 'image-dimensions';
import { formatBytes, formatCount, plural } from '../../ui/format';
import type { Column } from '../../ui/records';
import { Status, Time } from '../../ui/status';
import { type ListedFile, shownName, stateOf } from '../model/file-record';
import { type FolderTotals, ofVersion, useFolderTotals, webAddress } from '../model/queries';
import { FolderIcon, KindIcon } from './kind-icon';
import { contentKind } from '../model/content-kind';
import styles from '../files.module.css';

export type ListRow = { kind: 'folder'; prefix: string; name: string } | { kind: 'file'; file: ListedFile };

export const keyOfRow = (row: ListRow): string => (row.kind === 'folder' ? `folder ${row.prefix}` : (row.file.id ?? ''));

/** Cell of a file; for a folder, that of its totals, or none. */
const ofFile =
  (cell: (file: ListedFile) => React.ReactNode, ofTotals?: (totals: FolderTotals) => React.ReactNode) => (row: ListRow) => {
    if (row.kind === 'file') return cell(row.file);
    return ofTotals && <Totals prefix={row.prefix} cell={ofTotals} />;
  };

function Totals({ prefix, cell }: { prefix: string; cell: (totals: FolderTotals) => React.ReactNode }) {
  const totals = useFolderTotals(prefix);
  return totals && cell(totals);
}

const countOf = ({ files, isMore }: FolderTotals) => (isMore ? `${formatCount(files)}+ files` : plural(files, 'file'));
/** Sorts files by a value; folders stay before them. */
const byFile = (value: (file: ListedFile) => string | number, ofFolder: string | number) => (row: ListRow) =>
  row.kind === 'file' ? value(row.file) : ofFolder;

/** Later than any time. */
const NEVER = '~';

/** Columns of files and folders; names are shown relative to the open folder. */
export const fileColumns = (folder: string): readonly Column<ListRow>[] => [
  {
    word: 'Name',
    line: 'who',
    served: 'up',
    sortBy: (row) => (row.kind === 'folder' ? `\u0000${row.name}` : shownName(row.file.name, folder)),
    cell: (row) =>
      row.kind === 'folder' ? (
        <>
          <FolderIcon />
          <span className={`truncate ${styles.isolated}`}>{shownName(row.name.replace(/\/$/, ''))}</span>
        </>
      ) : (
        <>
          <Thumbnail of={row.file} />
          <span className={`truncate ${styles.isolated}`} title={shownName(row.file.name)}>
            {shownName(row.file.name, folder)}
          </span>
          {row.file.public && <GlobeIcon className={`muted ${styles.publicMark}`} role="img" aria-label="Public" />}
          {row.file.status !== 'done' && (
            <span className="inline">
              <Status {...stateOf(row.file.status)} />
            </span>
          )}
        </>
      ),
  },
  {
    word: 'Size',
    width: 84,
    room: 'medium',
    line: 'state',
    isNumber: true,
    served: 'both',
    sortBy: byFile(({ contentLength }) => contentLength ?? -1, -2),
    cell: ofFile(
      ({ contentLength }) => (contentLength === null ? <span className="muted">Empty</span> : formatBytes(contentLength)),
      ({ bytes, isMore }) => !isMore && formatBytes(bytes),
    ),
  },
  {
    word: 'Type',
    width: 140,
    room: 'wide',
    line: 'what',
    sortBy: byFile(({ contentType }) => contentType ?? '', ''),
    cell: ofFile(
      ({ contentType }) => (
        <span className="muted truncate" title={contentType ?? undefined}>
          {contentType}
        </span>
      ),
      (totals) => <span className="muted">{countOf(totals)}</span>,
    ),
  },
  {
    word: 'Status',
    width: 104,
    room: 'widest',
    sortBy: byFile(({ status }) => stateOf(status).word, ''),
    cell: ofFile(({ status }) => <Status {...stateOf(status)} />),
  },
  {
    word: 'Created',
    width: 96,
    room: 'medium',
    isNumber: true,
    sortBy: byFile(({ createdAt }) => createdAt ?? '', ''),
    served: 'both',
    cell: ofFile(({ createdAt }) => createdAt && <Time at={createdAt} />),
  },
  {
    word: 'Modified',
    width: 96,
    room: 'wide',
    line: 'when',
    isNumber: true,
    sortBy: byFile(({ updatedAt }) => updatedAt ?? '', ''),
    served: 'down',
    cell: ofFile(
      ({ updatedAt }) => updatedAt && <Time at={updatedAt} />,
      ({ updatedAt }) => updatedAt && <Time at={updatedAt} />,
    ),
  },
  {
    word: 'Expires',
    width: 96,
    room: 'huge',
    isNumber: true,
    sortBy: byFile(({ expiresAt }) => expiresAt ?? NEVER, ''),
    served: 'up',
    cell: ofFile(({ expiresAt }) => expiresAt && <Time at={expiresAt} />),
  },
  {
    word: 'Reference',
    width: 140,
    room: 'huge',
    sortBy: byFile(({ externalReference }) => externalReference ?? '', ''),
    cell: ofFile(({ externalReference }) => <span className="muted truncate">{externalReference}</span>),
  },
];

/** Maximum bytes per image of the visible rows. */
const LARGEST = 1024 * 1024;
/** Maximum pixels, however few bytes a file has: each pixel takes four bytes of memory. */
const MOST_PIXELS = 16_000_000;
/** Twice the size in the list, for high-density screens. */
const EDGE = 48;

/** Center of a small image; the icon of its kind for every other file, including SVG, which can take long to draw. */
function Thumbnail({ of: { id, etag, contentLength, contentType, downloadUrl, public: isPublic } }: { of: ListedFile }) {
  const address = webAddress(downloadUrl);
  const isSmall = contentLength !== null && contentLength > 0 && contentLength <= LARGEST;
  const { data } = useQuery({
    queryKey: ['content of files', 'thumbnail', id, etag],
    queryFn: ({ signal }) => thumbnailOf(isPublic ? ofVersion(address!, etag) : address!, signal),
    enabled: address !== null && isSmall && contentKind(contentType) === 'image' && !/svg/i.test(contentType!),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  return data ? <img className={`lead ${styles.thumbnail}`} src={data} alt="" /> : <KindIcon contentType={contentType} />;
}

/** Draws the center of an image as a square; null if it is not an image, or too large. */
async function thumbnailOf(address: string, signal: AbortSignal): Promise<string | null> {
  const response = await fetch(address, { signal });
  if (!response.ok) return null;
  const bytes = await response.arrayBuffer();
  const { width, height } = imageDimensionsFromData(new Uint8Array(bytes)) ?? { width: 0, height: 0 };
  if (!(width * height > 0 && width * height <= MOST_PIXELS)) return null;
  const image = await createImageBitmap(new Blob([bytes])).catch(() => null);
  if (!image) return null;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = EDGE;
  const side = Math.min(image.width, image.height);
  canvas.getContext('2d')!.drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, EDGE, EDGE);
  image.close();
  return canvas.toDataURL();
}
