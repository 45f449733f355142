/** Allowed CSS functions: colours, lengths, gradients, transforms and effects. None of them loads anything. */
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

/** Token context of a CSS value, which decides on the allowed tokens. */
export interface TokenPlace {
  /** True outside brackets, where `!important` can follow. */
  isTop: boolean;
  /** True if quoted texts are allowed, since they are not URLs here. */
  allowsTexts: boolean;
}

/**
 * Prints a value as CSS tokens: names, numbers, lengths, colours, quoted texts, calls of allowed functions. Returns undefined for a
 * value that could leave its declaration or change the surrounding text.
 */
export function cssTokens(value: string, { isTop, allowsTexts }: TokenPlace): string | undefined {
  if (/^\s*\*|\/\s*$/.test(value)) return undefined; // could form a comment delimiter with adjacent text
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

/** Prints a value inside quotes. Escapes characters that could end the quotes or the style element. */
export function cssText(value: string): string {
  return value.replace(/["'\\<>&\p{Cc}\u2028\u2029]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `);
}

/** Prints part of a URL inside `url(…)`, with or without quotes. */
export function cssAddress(address: string): string {
  return address.replace(
    /[\s"'()<>\\\p{Cc}]/gu,
    (character) => encodeURIComponent(character).replace(/^['()]$/, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`), // prettier-ignore
  );
}
