export type ContentKind = 'image' | 'video' | 'audio' | 'pdf' | 'text' | 'archive' | 'other';

const TEXT =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|rtf|csv)\b|application\/[\w.-]+\+(json|xml)\b)/;
const ARCHIVE = /^application\/(zip|gzip|x-tar|x-7z-compressed|vnd\.rar|x-bzip2?|java-archive)\b/;

/** Returns how content of a type can be shown. HTML is text: it is not run. */
export function contentKind(contentType: string | null): ContentKind {
  const type = (contentType ?? '').toLowerCase();
  if (type.startsWith('image/')) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type.startsWith('audio/')) return 'audio';
  if (/^application\/pdf\b/.test(type)) return 'pdf';
  if (TEXT.test(type)) return 'text';
  return ARCHIVE.test(type) ? 'archive' : 'other';
}
