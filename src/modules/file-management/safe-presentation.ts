import type { FileRow } from './file-row.js';

/**
 * What a browser only shows. `+` is in none of these types, since `image/x+xml` is XML, and a parameter is a plain token,
 * since browsers take what follows a comma for another type.
 */
const SHOWN_AS_IT_IS = new RegExp(
  '^(?:image/(?:apng|avif|bmp|gif|heic|heif|jpe?g|jxl|png|tiff|webp|x-icon|vnd\\.microsoft\\.icon)' +
    '|(?:audio|video)/[\\w.-]+|application/pdf|text/plain)(?:\\s*;\\s*[\\w-]+=[\\w.-]+)*$',
  'i',
);

/** A container of documents, each with a type of its own that no header of ours speaks of. */
const CONTAINER = /^(?:multipart|message)\//i;

/** A page of HTML can still be read, with the styles and pictures that it holds itself; it runs nothing and asks for nothing. */
const INERT = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'media-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** How content leaves, so that nothing in it runs with the origin that it is read from. */
export interface SafePresentation {
  contentType: string;
  disposition: string | null;
  /** The Content-Security-Policy; null for what a browser only shows: a sandbox would break its viewer of PDF. */
  policy: string | null;
}

export function safePresentation({ contentType, disposition }: Pick<FileRow, 'contentType' | 'disposition'>): SafePresentation {
  if (CONTAINER.test(contentType)) {
    return { contentType: 'application/octet-stream', disposition: disposition ?? 'attachment', policy: INERT };
  }
  return { contentType, disposition, policy: SHOWN_AS_IT_IS.test(contentType) ? null : INERT };
}
