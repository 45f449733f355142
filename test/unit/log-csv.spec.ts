import { csvCell, withoutFormulas } from '../../src/modules/document-log/export/log-csv.js';
import { workedMs } from '../support/time.js';

/** As docs/document-log.md says. */
const asItWas = (cell: string): string => cell.replace(/(?<=^|[;\t\r\n])'/g, '');

describe('a cell of the CSV export', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\tx', "'\tx"],
    ['\r=x', "'\r'=x"],
    ['a;=1+1', "a;'=1+1"],
    ['a\t=1+1', "a\t'=1+1"],
    ['a\n=1+1', "a\n'=1+1"],
    ['a; \u00A0=1', "a;' \u00A0=1"],
    ['a;"=1"', 'a;\'"=1"'],
    [' =x', "' =x"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠a', "'＠a"],
    ["'", "''"],
    ["'=1", "''=1"],
    ["a;'=1", "a;''=1"],
  ])('%j is %j, which no spreadsheet treats as a formula', (text, cell) => {
    expect(withoutFormulas(text)).toBe(cell);
    expect(asItWas(cell)).toBe(text);
  });

  it.each([
    '',
    "it's",
    'a,b',
    'a=b',
    '1-1',
    'a;b',
    'two\r\nlines',
    'a - b',
    '01900000-0000-7000-8000-000000000001',
    '[-4.9,52.3]',
  ])('%j is unchanged', (text) => {
    expect(withoutFormulas(text)).toBe(text);
  });

  it('is reversible: no two texts become one cell, however combined', () => {
    const pieces = ["'", "''", '=', '+', '-', '@', '＝', '＠', ';', '\t', '\r', '\n', ' ', '"', ',', 'a', '1', '\u3000', '😀'];
    let seed = 1;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 10_000; round++) {
      const text = Array.from({ length: next(9) }, () => pieces[next(pieces.length)]).join('');
      const cell = withoutFormulas(text);
      expect(asItWas(cell)).toBe(text);
      // However a spreadsheet splits it, no cell begins like a formula.
      for (const part of cell.split(/[;\t\r\n]/)) if (/^[\s"]*[=+\-@＝＋－＠]/.test(part)) throw new Error(JSON.stringify(cell));
    }
  });

  it('is encoded in time that grows with the text, and no faster', () => {
    for (const piece of [' ', '"', '\n ', ';"', '\t\t']) {
      expect(workedMs(() => withoutFormulas(piece.repeat(500_000)))).toBeLessThan(2_000);
    }
  });

  it('is quoted by RFC 4180', () => {
    expect(csvCell('a;=1,"x"')).toBe('"a;\'=1,""x"""');
    expect(csvCell(null)).toBe('');
  });
});
