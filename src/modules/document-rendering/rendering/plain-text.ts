import { compile, type DomNode, type FormatCallback } from 'html-to-text';

/** Deeper markup becomes `...`. Mails built of tables stay far below. */
const MAX_DEPTH = 400;

/**
 * A data table keeps its columns; a layout table becomes one line a cell. They are told apart as screen readers do: header
 * cells make a data table, a role or an inner table makes a layout table, and otherwise two rows of two cells make data.
 */
const formatTable: FormatCallback = (table, walk, builder, options) => {
  const format = isData(table) ? 'dataTable' : 'block';
  builder.options.formatters![format]!(table, walk, builder, options);
};

/** Writes the alternative text only: the address of a picture tells a reader nothing. */
const formatImage: FormatCallback = (image, _walk, builder) => {
  const text = image.attribs?.alt;
  if (text) builder.addInline(text);
};

/** Does not wrap lines: each mail program does so at its own width. */
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

/** Makes the plain alternative of an html mail: links as `text [address]`, tables in columns, nothing that is hidden. */
export function plainTextOf(html: string): string {
  return convert(html);
}

function isData(table: DomNode): boolean {
  const rows = rowsOf(table);
  if (rows.some((cells) => cells.some(({ name }) => name === 'th'))) return true;
  if (/^(?:presentation|none)$/i.test(table.attribs?.role ?? '')) return false;
  return rows.filter((cells) => cells.length > 1).length > 1 && !rows.some((cells) => cells.some(hasTable));
}

/** The cells of each row of this table, without those of inner tables. */
function rowsOf(table: DomNode): DomNode[][] {
  const children = (node: DomNode): DomNode[] => node.children ?? [];
  const sections = children(table).filter(({ name }) => /^(?:thead|tbody|tfoot)$/.test(name ?? ''));
  const rows = [table, ...sections].flatMap(children).filter(({ name }) => name === 'tr');
  return rows.map((row) => children(row).filter(({ name }) => name === 'td' || name === 'th'));
}

function hasTable(cell: DomNode): boolean {
  return (cell.children ?? []).some((child) => child.name === 'table' || hasTable(child));
}
