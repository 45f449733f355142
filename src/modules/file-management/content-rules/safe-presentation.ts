/**
 * Types that browsers display without running scripts. Excludes `+`, since `image/x+xml` is XML. Parameters must be plain tokens,
 * since browsers read text after a comma as another type.
 */
const INERT_TYPE = new RegExp(
  '^(?:image/(?:apng|avif|bmp|gif|heic|heif|jpe?g|jxl|png|tiff|webp|x-icon|vnd\\.microsoft\\.icon)' +
    '|(?:audio|video)/[\\w.-]+|application/pdf|text/plain)(?:\\s*;\\s*[\\w-]+=[\\w.-]+)*$',
  'i',
);

/** Document containers. The types of the contained documents are beyond the control of response headers. */
const CONTAINER = /^(?:multipart|message)\//i;

/** Policy for displaying HTML with inline styles and images. Blocks scripts and all other loads. */
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

/** Headers stored with the content. */
interface StoredHeaders {
  contentType: string;
  disposition: string | null;
}

/** Response headers that keep content from running scripts in the serving origin. */
export interface SafePresentation extends StoredHeaders {
  /** Content-Security-Policy; null for inert types, since a sandbox breaks PDF viewers. */
  policy: string | null;
}

export function safePresentation({ contentType, disposition }: StoredHeaders): SafePresentation {
  if (CONTAINER.test(contentType)) {
    return { contentType: 'application/octet-stream', disposition: disposition ?? 'attachment', policy: SANDBOX_POLICY };
  }
  return { contentType, disposition, policy: INERT_TYPE.test(contentType) ? null : SANDBOX_POLICY };
}
