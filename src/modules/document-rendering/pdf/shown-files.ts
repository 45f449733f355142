import { AppError } from '../../../common/base/app-error.js';
import { asBytes } from '../../../common/base/amounts.js';

/** Files shown by HTML, by the ids in `cid:ID`. */
export type ShownFiles = Map<string, { contentType: string; bytes: Buffer }>;

const SHOWN = /\bcid:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![\w-])/g;

/** Returns the ids of the files that HTML shows. */
export const shownIn = (html: string): string[] => Array.from(html.matchAll(SHOWN), ([, id]) => id!);

/** Inlines files into HTML as `data:` URLs. @throws PAYLOAD_TOO_LARGE over `maxBytes`, with each use of a file counted */
export function withFiles(html: string, files: ShownFiles, what: string, maxBytes: number): string {
  const addresses = new Map([...files].map(([id, file]) => [id, addressOf(file)]));
  let size = html.length;
  return html.replaceAll(SHOWN, (name, id: string) => {
    const address = addresses.get(id) ?? name;
    size += address.length;
    if (size <= maxBytes) return address;
    const most = `at most ${asBytes(maxBytes)} with its files, each counted per use`;
    throw new AppError('PAYLOAD_TOO_LARGE', `${what} may have ${most}; show fewer or smaller files`);
  });
}

/** Returns a data: URL. Falls back to octet-stream for a type with other characters, which could end the attribute. */
function addressOf({ contentType, bytes }: { contentType: string; bytes: Buffer }): string {
  const [type] = /^[\w.+-]+\/[\w.+-]+/.exec(contentType) ?? ['application/octet-stream'];
  return `data:${type};base64,${bytes.toString('base64')}`;
}
