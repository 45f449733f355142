/** HTML that is not escaped again. */
export class Markup {
  constructor(readonly html: string) {}
}

/** Text already encoded for a URL. */
export class EncodedText extends Markup {}

const HAS_SPECIAL = /[&"'<>`]/;
const LAST_SPECIAL = 0x60;
const ENTITIES: (string | undefined)[] = Array.from({ length: LAST_SPECIAL + 1 });
for (const [character, entity] of [
  ['&', '&amp;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['`', '&#96;'],
]) {
  ENTITIES[character!.charCodeAt(0)] = entity;
}

/** Escapes text for HTML. A loop, since half of a rendering's time is spent here and `replace` takes twice as long. */
export function escapeHtml(text: string): string {
  let escaped = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const entity = code <= LAST_SPECIAL ? ENTITIES[code] : undefined;
    if (entity === undefined) continue;
    escaped += text.slice(from, at) + entity;
    from = at + 1;
  }
  return from === 0 ? text : escaped + text.slice(from);
}

/** Converts a value to text. Never calls its members, since an object of the params can have any, including `toString`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.html;
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? '[object Object]' : String(value);
}

/** Warning for a value that `hasNoText`. */
export const NO_TEXT = 'written as [object Object], because an object has no text; write its members, such as person.name';

/** Returns true for an object, and for a list that contains one. */
export function hasNoText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Markup) return false;
  return Array.isArray(value) ? value.some(hasNoText) : true;
}

/** Converts a value to HTML, which is also valid inside a quoted attribute. */
export function htmlOf(value: unknown): string {
  if (typeof value === 'string') return HAS_SPECIAL.test(value) ? escapeHtml(value) : value;
  return value instanceof Markup ? value.html : escapeHtml(textOf(value));
}
