/** Default for public files. Caches must revalidate, since the file can be replaced or made private. */
export const DEFAULT_CACHE_CONTROL = 'no-cache';
const PROTECTED_CACHE_CONTROL = 'private, no-store';

const PLAIN = ['public', 'private', 'no-cache', 'no-store', 'no-transform', 'must-revalidate', 'proxy-revalidate', 'immutable'];
const WITH_SECONDS = ['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error'];
export const MAX_CACHE_SECONDS = 31_536_000;
export const MAX_CACHE_CONTROL = 256;

/** Returns the error message for an invalid Cache-Control, or undefined. */
export function cacheControlProblem(text: string): string | undefined {
  const directives = directivesOf(text);
  const names = directives.map((directive) => directive.split('=', 1)[0]!);
  const unknown = directives.find((directive) => !isKnown(directive));
  if (unknown !== undefined) {
    return `has ${JSON.stringify(unknown)}; the directives are ${PLAIN.join(', ')}, and with =SECONDS, 0 to ${MAX_CACHE_SECONDS}, ${WITH_SECONDS.join(', ')}`;
  }
  if (new Set(names).size < names.length) return 'must name each directive once';
  if (names.includes('public') && names.includes('private')) return 'must not be both public and private';
  // Without these directives each cache would choose its own lifetime.
  if (!names.some((name) => ['no-cache', 'no-store', 'max-age'].includes(name))) return 'must have max-age, no-cache or no-store';
  return undefined;
}

export const normalizedCacheControl = (text: string): string => directivesOf(text).join(', ');

/** Returns the Cache-Control of a download. Private files are never cached, others not past their expiry. */
export function cacheControl(row: { public: boolean; cacheControl: string | null; expiresAt: Date | null }): string {
  if (!row.public) return PROTECTED_CACHE_CONTROL;
  const wanted = row.cacheControl ?? DEFAULT_CACHE_CONTROL;
  if (!row.expiresAt) return wanted;
  const leftSeconds = Math.max(0, Math.floor((row.expiresAt.getTime() - Date.now()) / 1000));
  return wanted.replace(/([\w-]+)=(\d+)/g, (_, name: string, seconds: string) => {
    return `${name}=${name.startsWith('stale') ? 0 : Math.min(Number(seconds), leftSeconds)}`;
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
    Number(seconds) <= MAX_CACHE_SECONDS
  );
}
