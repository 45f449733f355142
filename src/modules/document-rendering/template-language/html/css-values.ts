/** The functions that a value may call. They make colours, lengths, gradients, transforms and other effects, and load nothing. */
const FUNCTIONS = new Set(
  (
    'rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var env calc min max clamp minmax repeat fit-content ' +
    'linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient ' +
    'repeating-conic-gradient translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d ' +
    'rotate rotatex rotatey rotatez rotate3d skew skewx skewy matrix matrix3d perspective cubic-bezier steps blur ' +
    'brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia'
  ).split(' '),
);

const TOKEN =
  /(?<space>\s+)|(?<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:%|[a-z_][\w-]*)?)|(?<hash>#[\w-]+)|(?<name>-{0,2}[a-z_\u00a0-\uffff][\w\u00a0-\uffff-]*)(?<call>\()?|"(?<double>[^"\\\n\r\f]*)"|'(?<single>[^'\\\n\r\f]*)'|(?<comma>,)|(?<slash>\/)(?!\*)|(?<operator>[-+*])|(?<open>\()|(?<close>\))|(?<important>!\s*important\s*$)/iy;

/** The place where a value is printed as tokens, which decides what tokens are allowed. */
export interface TokenPlace {
  /** Whether the place is outside of brackets, so that `!important` can follow. */
  isTop: boolean;
  /** Whether quoted texts are allowed, since they are not read as addresses here. */
  allowsTexts: boolean;
}

/**
 * Prints a value as tokens of CSS: names, numbers, lengths, colours, quoted texts, calls of known functions. Returns undefined if
 * the value could be more than part of a declaration's value, or could change the meaning of the text around it.
 */
export function cssTokens(value: string, { isTop, allowsTexts }: TokenPlace): string | undefined {
  if (/^\s*\*|\/\s*$/.test(value)) return undefined; // with the text beside it, the value could begin or end a comment
  let css = '';
  let depth = 0;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < value.length;) {
    const token = TOKEN.exec(value);
    if (!token) return undefined;
    const { call, close, name, open, operator, important, double, single } = token.groups!;
    const text = double ?? single;
    if (call && !FUNCTIONS.has(name!.toLowerCase())) return undefined;
    if ((open || operator) && depth === 0 && isTop) return undefined;
    if ((important && (depth > 0 || !isTop)) || (text !== undefined && !allowsTexts)) return undefined;
    if (call || open) depth += 1;
    if (close) depth -= 1;
    if (depth < 0) return undefined;
    css += text === undefined ? token[0] : `"${cssText(text)}"`;
  }
  return depth === 0 ? css : undefined;
}

/** Prints a value inside quotes. Escapes all characters that could end the quotes or the style element. */
export function cssText(value: string): string {
  return value.replace(/["'\\<>&\p{Cc}\u2028\u2029]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `);
}

/** Prints a part of an address inside `url(…)`, with or without quotes. */
export function cssAddress(address: string): string {
  return address.replace(
    /[\s"'()<>\\\p{Cc}]/gu,
    (character) => encodeURIComponent(character).replace(/^['()]$/, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`), // prettier-ignore
  );
}
