/** Markup token. A raw text element with its end tag is one token. */
interface Piece {
  kind: 'text' | 'comment' | 'doctype' | 'start' | 'end';
  /** Tag name, in lower case. */
  name: string;
  start: number;
  end: number;
  /** False if the document ends within the token. */
  closed: boolean;
}

const OPENING = /<(?:!--|[!?]|\/?([a-z][^\s/>]*))/iy;
/** End of a tag, or an attribute value. Values are skipped because they may contain `>`. */
const TAG_END_OR_VALUE = />|=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>]*)/g;
const COMMENT_END = /--!?>/g;
const RAW_TEXT = new Set(['script', 'style', 'title', 'noscript', 'noframes', 'template']);
const HEAD_CONTENT = new Set([...RAW_TEXT, 'meta', 'link', 'base', 'basefont', 'bgsound']);
const END_TAGS_THAT_END_THE_HEAD = new Set(['head', 'body', 'html', 'br']);

/**
 * Inserts the CSS in one style element at the end of the head, and adds a head if none exists. Leaves all other bytes unchanged. The
 * CSS must not contain `</style`.
 */
export function insertStyle(html: string, css: string[]): string {
  const style = `<style>\n${css.join('\n')}\n</style>`;
  const { at, hasHead } = placeForStyle(html);
  return html.slice(0, at) + (hasHead ? style : `<head>${style}</head>`) + html.slice(at);
}

/** Finds the end of the head like a browser: its end tag, or the first token not allowed in a head. */
function placeForStyle(html: string): { at: number; hasHead: boolean } {
  let afterHtml = 0;
  let hasHead = false;
  for (let at = 0; at < html.length;) {
    const piece = pieceAt(html, at);
    at = piece.end;
    if (isInvisible(html, piece)) continue;
    if (hasHead) {
      if (!staysInHead(piece)) return { at: piece.start, hasHead };
    } else if (isTag(piece, 'head')) {
      hasHead = true;
    } else if (piece.kind === 'doctype' || isTag(piece, 'html')) {
      afterHtml = piece.end;
    } else break;
  }
  return { at: hasHead ? html.length : afterHtml, hasHead };
}

function isInvisible(html: string, { kind, start, end, closed }: Piece): boolean {
  return closed && (kind === 'comment' || (kind === 'text' && html.slice(start, end).trim() === ''));
}

function isTag({ kind, name, closed }: Piece, wanted: string): boolean {
  return kind === 'start' && name === wanted && closed;
}

function staysInHead({ kind, name, closed }: Piece): boolean {
  if (!closed) return false;
  if (kind === 'end') return !END_TAGS_THAT_END_THE_HEAD.has(name);
  return kind === 'doctype' || (kind === 'start' && HEAD_CONTENT.has(name));
}

function pieceAt(html: string, start: number): Piece {
  OPENING.lastIndex = start;
  const opening = OPENING.exec(html);
  if (!opening) {
    const next = html.indexOf('<', start + 1);
    return { kind: 'text', name: '', start, end: next === -1 ? html.length : next, closed: true };
  }
  const name = opening[1]?.toLowerCase() ?? '';
  const kind = kindOf(html, start, name);
  const end = kind === 'start' || kind === 'end' ? endOfTag(html, start, kind, name) : endOfDeclaration(html, start);
  return { kind, name, start, end: end === -1 ? html.length : end, closed: end !== -1 };
}

function kindOf(html: string, start: number, name: string): Piece['kind'] {
  if (name) return html[start + 1] === '/' ? 'end' : 'start';
  return /^<!doctype/i.test(html.slice(start, start + 9)) ? 'doctype' : 'comment';
}

function endOfDeclaration(html: string, start: number): number {
  if (!html.startsWith('<!--', start)) return html.indexOf('>', start) + 1 || -1;
  // `<!-->` and `<!--->` are complete comments; `<!--!>` is not.
  const whole = /^<!--(?:-?>)/.exec(html.slice(start, start + 6));
  if (whole) return start + whole[0].length;
  COMMENT_END.lastIndex = start + 4;
  return COMMENT_END.exec(html) ? COMMENT_END.lastIndex : -1;
}

function endOfTag(html: string, start: number, kind: 'start' | 'end', name: string): number {
  let end = -1;
  TAG_END_OR_VALUE.lastIndex = start + 1 + name.length;
  for (let match = TAG_END_OR_VALUE.exec(html); match && end === -1; match = TAG_END_OR_VALUE.exec(html)) {
    if (match[0] === '>') end = match.index + 1;
  }
  if (end === -1 || kind === 'end' || !RAW_TEXT.has(name)) return end;
  const endTag = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  endTag.lastIndex = end;
  return endTag.exec(html) ? html.indexOf('>', endTag.lastIndex) + 1 || -1 : -1;
}
