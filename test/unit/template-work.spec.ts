import { SMALL_WORK } from '../../src/modules/document-rendering/engine/template-engine.js';
import { TooMuchWork } from '../../src/modules/document-rendering/template-language/result/work-units.js';
import { compileSmallTemplate, type TemplateSource } from '../../src/modules/document-rendering/template-language/template.js';
import { insertStyle } from '../../src/modules/document-rendering/rendering/stylesheet.js';

/** Undefined when it is given up. */
const renderedHere = (body: string, params: object): string | undefined => {
  const source: TemplateSource = {
    type: 'document',
    contentType: 'html',
    locale: null,
    subject: null,
    body,
    css: [],
    layouts: [],
    partials: [],
  };
  try {
    return compileSmallTemplate(source)?.render(params, { units: SMALL_WORK }).body;
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
};
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const ACCENTS = `e${'\u0301'.repeat(20_000)}`;

describe('the work limit of a rendering in the server process', () => {
  it('suffices for an order of 100 rows with conditions, and formatted numbers and texts', () => {
    const row =
      '<tr class="{% if loop.first %}first{% endif %}"><td>{{ loop.index }}</td><td>{{ item.name | upper }}</td>' +
      '<td><a href="/things/{{ item.id }}">{{ item.price | number("#,##0.00") }}</a></td></tr>';
    const items = numbers(100).map((id) => ({ id, name: `Thing <${id}>`, price: id * 1.25 }));
    const body = renderedHere(`<table>{% for item in items %}${row}{% endfor %}</table>`, { items });
    expect(body?.match(/<tr/g)).toHaveLength(100);
  });

  it.each<[string, string, object]>([
    [
      'nested loops',
      '{% for a in x %}{% for b in x %}{% for c in x %}{% endfor %}{% endfor %}{% endfor %}',
      { x: numbers(2_000) },
    ],
    ['a long loop with much text', `{% for a in x %}${'<b>bold</b> '.repeat(500)}{% endfor %}`, { x: numbers(1_000) }],
    ['a list printed for each of its items', '{% for a in x %}{{ x }}{% endfor %}', { x: numbers(1_000) }],
    [
      'long texts compared in a loop',
      '{% for a in x %}{% if a == b %}{% endif %}{% endfor %}',
      { x: numbers(1_000), b: '1'.repeat(9_000) },
    ],
    [
      'a long text searched in a loop',
      '{% for a in x %}{% if "b" in b %}{% endif %}{% endfor %}',
      { x: numbers(1_000), b: 'a'.repeat(9_000) },
    ],
    ['members of a character with accents', `{{ a${'[0]'.repeat(1_300)} }}`, { a: ACCENTS }],
    ['a text of the author filtered again and again', `{{ "${'a '.repeat(500)}"${'|title'.repeat(400)} }}`, {}],
    ['a text that a filter makes longer', '{{ a | replace("a", b) }}', { a: 'a'.repeat(2_000), b: 'b'.repeat(2_000) }],
    [
      'a search that ends in vain at each character',
      '{{ a | replace(b, "") }}',
      { a: 'a'.repeat(9_000), b: `b${'a'.repeat(4_000)}` },
    ],
    ['a long separator', '{{ x | join(b) }}', { x: numbers(1_000), b: 'b'.repeat(1_000) }],
    ['texts encoded again and again', `{{ a${'|urlencode'.repeat(390)} }}`, { a: '%' }],
    ['dates in many fields', `{{ a | date("${'MMMM '.repeat(19)}") }}`.repeat(30), { a: '2024-07-16' }],
    [
      'many addresses in one attribute',
      `<img srcset="{% for a in x %}{{ a }}, {% endfor %}">`,
      { x: numbers(1_000).map(() => 'x:y') },
    ],
    ['a long value in CSS', '<p style="color: {{ a }}">', { a: 'rgb('.repeat(9_000) }],
    ['many tags to compile', '<img srcset="' + '{{ a }}, '.repeat(3_500) + '">', { a: 'x:y' }],
    ['a tag that seems to end early', `{{ "}}" ${'or a '.repeat(4_000)}}}`, { a: 1 }],
  ])('stops it before it delays others: %s', (_, body, params) => {
    expect(renderedHere(body, params)).toBeUndefined();
  });

  it('allows one pass for the head of a page with many unfinished end tags', () => {
    const html = `<title></title ${'x="</title " '.repeat(100_000)}`;
    expect(insertStyle(html, ['p{}'])).toHaveLength(html.length + '<head><style>\np{}\n</style></head>'.length);
  });
});
