import { readFileSync } from 'node:fs';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { runJob } from '../../src/modules/document-rendering/rendering/render-job-runner.js';
import { NOBODY } from '../../src/modules/document-rendering/template-language/filters/reader.js';
import type { Rendering } from '../../src/modules/document-rendering/template-language/result/rendering.js';
import { OUTLOOK_PATTERNS, templateOf } from '../support/outlook-patterns.js';

const render = (body: string, params: object, css: string[] = []) =>
  runJob({
    kind: 'render',
    source: { type: 'email', contentType: 'html', locale: null, subject: null, css, body, layouts: [], partials: [] },
    params: JSON.stringify(params),
    reader: NOBODY,
  }) as Rendering;
const sameForAll = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, value]));

const HOSTILE = [
  '"><script>run()</script>',
  "'><img src=x onerror=run()>",
  '--><script>run()</script>',
  '--!><script>run()</script><!--',
  '--',
  '-->',
  '>',
  '->',
  '<![endif]--><script>run()</script>',
  '<![endif]><b>',
  '<!--[if mso]><script>run()</script><![endif]-->',
  '<!--<![endif]-->',
  ']]><script>',
  ']]>',
  '</center></v:roundrect><v:rect href="javascript:run()">',
  'javascript:run()',
  ' java\tscript:run()',
  '\u0001javascript:run()',
  'vbscript:run()',
  'data:text/html,<script>run()</script>',
  '" onmouseover="run()',
  '\u0001"\ufffd>',
  '</style><script>run()</script>',
  'red;behavior:url(//evil.example)',
  'expression(run())',
  '&quot;&gt;&#60;script&#62;',
  '`onload=run()`',
];

const CONDITIONAL = /<!--\[if ([^\]]*)\]>([^]*?)<!\[endif\]-->/g;
/** The page as each program reads it: a browser sees comments, Outlook their content, an old program the content of all. */
const READERS: Record<string, (html: string) => string> = {
  'a browser': (html) => html,
  Outlook: (html) =>
    html.replace(CONDITIONAL, (_, condition: string, content: string) => (condition.includes('!') ? '' : content)),
  'a program that reads all conditional comments': (html) => html.replace(CONDITIONAL, '$2'),
};

/** The elements, names of attributes and comments of a page, and the addresses in it. */
function read(html: string): { shape: string; addresses: string[] } {
  const shape: string[] = [];
  const addresses: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    const { attrs = [] } = node as Partial<DefaultTreeAdapterTypes.Element>;
    if (node.nodeName !== '#text') shape.push(`${node.nodeName}(${attrs.map(({ name }) => name).join(' ')}`);
    for (const { name, value } of attrs) if (/^(?:[or]:)?(?:href|src|background|althref)$/.test(name)) addresses.push(value);
    for (const child of (node as Partial<DefaultTreeAdapterTypes.ParentNode>).childNodes ?? []) visit(child);
    if (node.nodeName !== '#text') shape.push(')');
  };
  visit(parse(html));
  return { shape: shape.join(' '), addresses };
}

const RUNS = /^[\p{Cc} ]*(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:|^[\p{Cc} ]*data:text/iu;

describe.each(OUTLOOK_PATTERNS)('a mail for Outlook with %s', (_, html) => {
  const { body, count } = templateOf(html);
  const plain = sameForAll(count, '7');

  it('accepts a parameter in each place, and is written as its author intended', () => {
    const rendered = render(body, plain);
    expect(rendered).toMatchObject({ body: html.replaceAll('@', '7'), warnings: [], missingParams: [] });
  });

  it('accepts a web URL for each URL', () => {
    expect(render(body, sameForAll(count, 'https://shop.example/a?b=1')).body).toContain('https://shop.example/a?b=1');
  });

  it.each(Object.keys(READERS))('retains its elements, attributes and safe URLs in %s, whatever the values are', (reader) => {
    const shapeOf = (params: object) => read(READERS[reader]!(render(body, params).body));
    const meant = shapeOf(plain);
    for (const value of HOSTILE) {
      const each = Object.keys(plain).map((name) => ({ ...plain, [name]: value }));
      for (const params of [sameForAll(count, value), ...each]) {
        const { shape, addresses } = shapeOf(params);
        expect({ params, shape }).toEqual({ params, shape: meant.shape });
        expect(addresses.filter((address) => RUNS.test(address))).toEqual([]);
      }
    }
  });

  it('is valid in an if, in each pass of a loop, and twice in a row', () => {
    const once = html.replaceAll('@', '7');
    expect(render(`{% if p0 %}${body}{% endif %}${body}`, plain).body).toBe(once + once);
    expect(
      render(`{% for one in list %}${body}{% else %}${body}{% endfor %}<a href="{{ p0 }}">`, { ...plain, list: [1, 2] }).body,
    ).toBe(`${once}${once}<a href="7">`);
  });

  it('retains each conditional comment when styles are inlined', () => {
    const comments = (text: string) => text.match(/<!--[^]*?-->/g) ?? [];
    const styled = render(`<p class="c">${body}</p>`, plain, ['p,a,td{color:red}.c{margin:0}']);
    expect(comments(styled.body)).toEqual(comments(html.replaceAll('@', '7')));
    expect(styled.body).toMatch(/<a [^>]*style="[^"]*color: ?(?:red|7)/);
  });
});

describe('a conditional comment', () => {
  const page = readFileSync(new URL('../../docs/document-rendering.md', import.meta.url), 'utf8');

  it('makes the button of docs/document-rendering.md', () => {
    const [, button] = /## Mails for Outlook[^]*?```html\n([^]*?)```/.exec(page)!;
    const params = { url: 'https://shop.example/?a=1&b=2', label: 'Pay <now>', color: '#0a6', width: 200 };
    const { body, missingParams, warnings } = render(button!, params);
    expect({ missingParams, warnings }).toEqual({ missingParams: [], warnings: [] });
    const { addresses } = read(READERS['a program that reads all conditional comments']!(body));
    expect(addresses).toEqual([params.url, params.url]);
    expect(body.match(/Pay &lt;now&gt;/g)).toHaveLength(2);
  });

  it.each([
    '<!--[if mso]><svg><![endif]--><style><a href="{{ x }}">',
    '<!--[if mso]><a title="<![endif]--><a href="{{ x }}">',
    '<!--[if mso]><style><![endif]--><a href="{{ x }}">',
    '<!--[if mso]><!-- <![endif]--><a title="--><a href="{{ x }}">',
    '<!--[if mso]><script>{{ x }}</script><![endif]-->',
    '<!--[if mso]><td onclick="{{ x }}"><![endif]-->',
    '<!--[if mso]><td width={{ x }}><![endif]-->',
    '<!--[if mso]><v:rect {{ x }}><![endif]-->',
    '<!--[if mso]><v:rect href="javascript:{{ x }}"><![endif]-->',
    '<!--[if mso]><v:rect style="behavior:url({{ x }})"><![endif]-->',
    '<!--[if {{ x }}]><td><![endif]-->',
  ])('accepts no parameter if its content or what follows could be read as something else: %s', (template) => {
    expect(() => render(template, { x: '1' })).toThrow(/^line 1, column \d+: a parameter is not allowed /);
  });
});
