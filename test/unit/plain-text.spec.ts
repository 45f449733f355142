import { parseParams } from '../../src/modules/document-rendering/rendering/params.js';
import { plainTextOf } from '../../src/modules/document-rendering/rendering/plain-text.js';

describe('the plain text of a mail', () => {
  it('shows links with their URL, once, and images by their text', () => {
    const html =
      '<p>See <a href="https://a.test/?b=1&amp;c=2">the invoice</a>, <a href="https://a.test">https://a.test</a> or ' +
      '<a href="mailto:a@b.test">a@b.test</a> <img src="https://a.test/logo.png" alt="Logo"><img src="https://a.test/pixel"></p>';
    expect(plainTextOf(html)).toBe('See the invoice [https://a.test/?b=1&c=2], https://a.test or a@b.test Logo');
  });

  it('preserves the columns of an invoice inside layout tables', () => {
    const html =
      '<html><head><title>no</title><style>no</style></head><body><div style="display: none;">no</div>' +
      '<table role="presentation"><tr><td><h1>Invoice</h1></td></tr><tr><td><table>' +
      '<thead><tr><th>Item</th><th>Price</th></tr></thead><tbody><tr><td>Blue widget</td><td>10.00</td></tr>' +
      '<tr><td>Tax</td><td>1.90</td></tr></tbody></table></td></tr><tr><td>left</td><td>right</td></tr></table></body></html>';
    expect(plainTextOf(html).replaceAll(/\n+/g, '\n').split('\n')).toEqual([
      'Invoice',
      'Item          Price',
      'Blue widget   10.00',
      'Tax           1.90',
      'left',
      'right',
    ]);
  });

  it('does not wrap lines', () => {
    expect(plainTextOf(`<p>${'word '.repeat(100)}</p>`)).toBe('word '.repeat(100).trim());
  });
});

describe('the params of a rendering', () => {
  it('are an object, in which __proto__ is a name like any other', () => {
    const params = parseParams('{"__proto__":{"admin":true},"a":1}');
    expect(Object.keys(params)).toEqual(['__proto__', 'a']);
    expect('admin' in params).toBe(false);
  });

  it.each(['', '[]', 'null', '1', '"a"', '{a:1}', '{"a":1} x'])('are not %s', (text) => {
    expect(() => parseParams(text)).toThrow(expect.objectContaining({ refusal: expect.objectContaining({ field: 'params' }) }));
  });

  it('have at most 100 levels', () => {
    const nested = (levels: number) => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    expect(() => parseParams(nested(100))).not.toThrow();
    expect(() => parseParams(nested(101))).toThrow('at most 100 levels');
    expect(() => parseParams(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`)).toThrow('at most 100 levels');
  });
});
