import { useQuery } from '@tanstack/react-query';
import { imageDimensionsFromData } from 'image-dimensions';
import { contentKind } from '../model/content-kind';
import type { ListedFile } from '../model/file-record';
import { ofVersion, webAddress } from '../model/queries';
import { KindIcon } from './kind-icon';
import styles from '../files.module.css';

/** Maximum bytes per image of the visible rows. */
const LARGEST = 1024 * 1024;
/** Maximum pixels, however few bytes a file has: each pixel takes four bytes of memory. */
const MOST_PIXELS = 16_000_000;
/** Twice the size in the list, for high-density screens. */
const EDGE = 48;

/** Center of a small image; the icon of its kind for every other file, including SVG, which can take long to draw. */
export function Thumbnail({ of: { id, etag, contentLength, contentType, downloadUrl, public: isPublic } }: { of: ListedFile }) {
  const address = webAddress(downloadUrl);
  const isSmall = contentLength !== null && contentLength > 0 && contentLength <= LARGEST;
  const { data } = useQuery({
    queryKey: ['files', 'content', 'thumbnail', id, etag],
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
