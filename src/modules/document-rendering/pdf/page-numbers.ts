/** Placeholders for page numbers in a rendered header or footer. Private-use characters prevent collisions. */
const PAGE = '\uE0F0page\uE0F1';
const PAGES = '\uE0F0pages\uE0F1';

/** Adds page and pages to a JSON object in text. Returns invalid JSON unchanged, since the parser refuses it later. */
export function withPageNumbers(params: string): string {
  const end = params.trimEnd();
  if (!end.endsWith('}')) return params;
  const isEmpty = /^\s*\{\s*\}$/.test(end);
  const added = JSON.stringify({ page: PAGE, pages: PAGES }).slice(1, -1);
  return `${end.slice(0, -1)}${isEmpty ? '' : ','}${added}}`;
}

/** Replaces placeholders in text with elements that browsers number, and removes placeholders inside tags. */
export function asMarginHtml(html: string): string {
  const text = `<div style="width:100%;font-size:10px">${html}</div>`;
  return text
    .split(/(<[^>]*>)/)
    .map((part) => (part.startsWith('<') ? without(part) : numbered(part)))
    .join('');
}

const without = (tag: string): string => tag.replaceAll(PAGE, '').replaceAll(PAGES, '');

const numbered = (text: string): string =>
  text.replaceAll(PAGES, '<span class="totalPages"></span>').replaceAll(PAGE, '<span class="pageNumber"></span>');
