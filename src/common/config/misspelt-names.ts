/** Variables of other programs with names similar to a setting. */
const OTHERS = new Set(['HTTP_PROXY', 'HTTPS_PROXY']);
/** Maximum length of a name that may differ in only one place. Longer names may differ in two. */
const SHORT = 7;

export interface Misspelt {
  name: string;
  /** Setting that was probably meant. */
  meant: string;
}

/**
 * Returns the environment variables whose names resemble an unset setting. Other unknown names belong to other
 * programs.
 */
export function misspeltNames(env: Record<string, string | undefined>, settings: readonly string[]): Misspelt[] {
  const missing = settings.filter((name) => !env[name]);
  const known = new Set(settings);
  const unknown = Object.keys(env).filter((name) => env[name] && !known.has(name) && !OTHERS.has(name.toUpperCase()));
  return unknown.flatMap((name) => {
    const meant = missing.find((one) => isNear(name.toUpperCase(), one));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isNear(name: string, setting: string): boolean {
  const limit = setting.length > SHORT ? 2 : 1;
  return Math.abs(name.length - setting.length) <= limit && distanceOf(name, setting) <= limit;
}

/** Counts insertions, deletions, substitutions and swaps of neighbours (the optimal string alignment distance). */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, swapped);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
