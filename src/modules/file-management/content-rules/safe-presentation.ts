/**
 * Types that a browser displays without running scripts. The pattern allows no `+`, since `image/x+xml` is XML. Parameters are
 * plain tokens, since browsers take the text after a comma for another type.
 */
const INERT_TYPE = new RegExp(
  '^(?:image/(?:apng|avif|bmp|gif|heic|heif|jpe?g|jxl|png|tiff|webp|x-icon|vnd\\.microsoft\\.icon)' +
    '|(?:audio|video)/[\\w.-]+|application/pdf|text/plain)(?:\\s*;\\s*[\\w-]+=[\\w.-]+)*$',
  'i',
);

/** Containers of documents. The documents inside have types of their own, which our headers do not control. */
const CONTAINER = /^(?:multipart|message)\//i;

/** Lets a browser show HTML with its inline styles and images. No script runs and nothing else is loaded. */
const SANDBOX_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'media-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The headers that content is stored with. */
interface StoredHeaders {
  contentType: string;
  disposition: string | null;
}

/** The headers that content is served with, so that it runs no script in the origin that serves it. */
export interface SafePresentation extends StoredHeaders {
  /** The Content-Security-Policy; null for inert types, since a sandbox would break PDF viewers. */
  policy: string | null;
}

export function safePresentation({ contentType, disposition }: StoredHeaders): SafePresentation {
  if (CONTAINER.test(contentType)) {
    return { contentType: 'application/octet-stream', disposition: disposition ?? 'attachment', policy: SANDBOX_POLICY };
  }
  return { contentType, disposition, policy: INERT_TYPE.test(contentType) ? null : SANDBOX_POLICY };
}
