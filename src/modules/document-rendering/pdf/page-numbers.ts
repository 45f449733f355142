/** Stand for the numbers in a rendered header or footer. Texts have characters of private use for no other reason. */
const PAGE = '\uE0F0page\uE0F1';
const PAGES = '\uE0F0pages\uE0F1';

/** Adds page and pages to a JSON object as text. Other text stays as it is, and is refused where it is parsed. */
export function withPageNumbers(params: string): string {
  const end = params.trimEnd();
  if (!end.endsWith('}')) return params;
  const isEmpty = /^\s*\{\s*\}$/.test(end);
  const added = JSON.stringify({ page: PAGE, pages: PAGES }).slice(1, -1);
  return `${end.slice(0, -1)}${isEmpty ? '' : ','}${added}}`;
}

/** Puts what browsers print numbers in to where they stand as text, and nothing to where they stand in a tag. */
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
