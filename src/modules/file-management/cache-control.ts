/** Of a public file: it may be kept, but is asked for again, since it can be replaced or made protected. */
export const DEFAULT_CACHE_CONTROL = 'no-cache';
const OF_PROTECTED = 'private, no-store';

const PLAIN = ['public', 'private', 'no-cache', 'no-store', 'no-transform', 'must-revalidate', 'proxy-revalidate', 'immutable'];
const WITH_SECONDS = ['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error'];
const MAX_SECONDS = 31_536_000;
export const MAX_CACHE_CONTROL = 256;

/** Why a value cannot be the Cache-Control of a file; nothing when it can. */
export function faultOfCacheControl(text: string): string | undefined {
  const directives = directivesOf(text);
  const names = directives.map((directive) => directive.split('=', 1)[0]!);
  const unknown = directives.find((directive) => !isKnown(directive));
  if (unknown !== undefined) {
    return `has ${JSON.stringify(unknown)}; the directives are ${PLAIN.join(', ')}, and with =SECONDS, 0 to ${MAX_SECONDS}, ${WITH_SECONDS.join(', ')}`;
  }
  if (new Set(names).size < names.length) return 'must name each directive once';
  if (names.includes('public') && names.includes('private')) return 'must not be both public and private';
  // Otherwise each cache would decide for itself how long it keeps the content.
  if (!names.some((name) => ['no-cache', 'no-store', 'max-age'].includes(name))) return 'must have max-age, no-cache or no-store';
  return undefined;
}

/** As it is stored and sent. */
export const spelledCacheControl = (text: string): string => directivesOf(text).join(', ');

/** The Cache-Control of a download now. A protected file is nobody's to keep; nothing may be kept past its file's end. */
export function cacheControl(row: { public: boolean; cacheControl: string | null; expiresAt: Date | null }): string {
  if (!row.public) return OF_PROTECTED;
  const wanted = row.cacheControl ?? DEFAULT_CACHE_CONTROL;
  if (!row.expiresAt) return wanted;
  const leftSeconds = Math.max(0, Math.floor((row.expiresAt.getTime() - Date.now()) / 1000));
  return wanted.replace(/([\w-]+)=(\d+)/g, (_, name: string, given: string) => {
    return `${name}=${name.startsWith('stale') ? 0 : Math.min(Number(given), leftSeconds)}`;
  });
}

function directivesOf(text: string): string[] {
  return text.split(',').map((directive) => directive.trim().toLowerCase());
}

function isKnown(directive: string): boolean {
  const [name = '', seconds] = directive.split('=');
  if (seconds === undefined) return PLAIN.includes(name);
  return (
    WITH_SECONDS.includes(name) &&
    /^\d{1,8}$/.test(seconds) &&
    directive === `${name}=${seconds}` &&
    Number(seconds) <= MAX_SECONDS
  );
}
