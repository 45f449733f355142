/** A header or a tag. */
interface Pair {
  name: string;
  value: string;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** The name ends at a colon and a space, so that it can contain a colon; without a space, at the first colon. */
const LINE = /^(.+?):(?:\s+(.*))?$|^([^:]+):(.*)$/;

/** Parses one header or tag per line, such as `X-Campaign: autumn`. Other lines are ignored. */
export const readPairs = (text: string): Pair[] =>
  linesOf(text).flatMap((line) => {
    const [, name, value, shortName, shortValue] = LINE.exec(line) ?? [];
    const found = name ?? shortName;
    return found ? [{ name: found.trim(), value: (value ?? shortValue ?? '').trim() }] : [];
  });

export const writePairs = (pairs: readonly { name: string | null; value: string | null }[]): string =>
  pairs.map(({ name, value }) => `${name}: ${value}`).join('\n');

/** Returns which line has no name, if any. */
export function faultOfPairs(text: string): string | undefined {
  const wrong = linesOf(text).find((line) => !LINE.test(line));
  return wrong && `“${wrong}” isn’t a name and value. Use the form name: value.`;
}
