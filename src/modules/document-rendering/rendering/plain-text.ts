import { compile, type DomNode, type FormatCallback } from 'html-to-text';

/** Maximum nesting of markup; deeper markup becomes `...`. Table layouts of emails need far less. */
const MAX_DEPTH = 400;

/**
 * Formats data tables in columns, and layout tables with one line per cell. Distinguishes them like screen readers: header cells mean
 * data, a role or an inner table means layout, otherwise two rows of two cells mean data.
 */
const formatTable: FormatCallback = (table, walk, builder, options) => {
  const format = isData(table) ? 'dataTable' : 'block';
  builder.options.formatters![format]!(table, walk, builder, options);
};

/** Writes only the alternative text of an image, since its URL tells a reader nothing. */
const formatImage: FormatCallback = (image, _walk, builder) => {
  const text = image.attribs?.alt;
  if (text) builder.addInline(text);
};

/** Converts without wrapping, since mail clients wrap lines themselves. */
const convert = compile({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH },
  formatters: { mailTable: formatTable, alternativeText: formatImage },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'alternativeText' },
    { selector: 'table', format: 'mailTable', options: { uppercaseHeaderCells: false } },
    ...['caption', 'tr', 'td', 'th'].map((selector) => ({ selector, format: 'block' })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ...['head', 'title', '[hidden]', '[style*="display:none"i]', '[style*="display: none"i]'].map((selector) => ({
      selector,
      format: 'skip',
    })),
  ],
});

/** Converts an html email to plain text: links as `text [URL]`, data tables in columns, hidden elements omitted. */
export function plainTextOf(html: string): string {
  return convert(html);
}

function isData(table: DomNode): boolean {
  const rows = rowsOf(table);
  if (rows.some((cells) => cells.some(({ name }) => name === 'th'))) return true;
  if (/^(?:presentation|none)$/i.test(table.attribs?.role ?? '')) return false;
  return rows.filter((cells) => cells.length > 1).length > 1 && !rows.some((cells) => cells.some(hasTable));
}

/** Returns the cells of each row, excluding inner tables. */
function rowsOf(table: DomNode): DomNode[][] {
  const children = (node: DomNode): DomNode[] => node.children ?? [];
  const sections = children(table).filter(({ name }) => /^(?:thead|tbody|tfoot)$/.test(name ?? ''));
  const rows = [table, ...sections].flatMap(children).filter(({ name }) => name === 'tr');
  return rows.map((row) => children(row).filter(({ name }) => name === 'td' || name === 'th'));
}

function hasTable(cell: DomNode): boolean {
  return (cell.children ?? []).some((child) => child.name === 'table' || hasTable(child));
}
