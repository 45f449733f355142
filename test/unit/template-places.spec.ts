import { RenderingRefused } from '../../src/modules/document-rendering/template-language/result/refusal.js';
import { compileTemplate } from '../../src/modules/document-rendering/template-language/template.js';

const compile = (body: string) =>
  compileTemplate({ type: 'email', contentType: 'html', locale: null, subject: null, css: [], layouts: [], partials: [], body });
const render = (body: string, params: object = {}) => compile(body).render(params);
const refusal = (body: string) => {
  try {
    compile(body);
  } catch (error) {
    if (error instanceof RenderingRefused) return error.message;
    throw error;
  }
  throw new Error(`not refused: ${body}`);
};
/** A row: the template, the value of `x`, and the output. */
type Row = [template: string, x: unknown, expected: string];

describe('a value in CSS', () => {
  it.each<Row>([
    ['<p style="color:{{ x }}">', 'rgb(0 0 0 / 50%)', '<p style="color:rgb(0 0 0 / 50%)">'],
    ['<p style="color:{{ x }}">', 'red !important', '<p style="color:red !important">'],
    ['<p style="color:{{ x }}">', 'var(--brand, #fa0)', '<p style="color:var(--brand, #fa0)">'],
    ['<p style="width:{{ x }}">', 'calc(100% - (2px * 3))', '<p style="width:calc(100% - (2px * 3))">'],
    ['<p style="width:calc(100% - {{ x }}px)">', 5, '<p style="width:calc(100% - 5px)">'],
    ['<p style="margin:-{{ x }}px">', 5, '<p style="margin:-5px">'],
    ['<p style="margin-{{ x }}:1px">', 'left', '<p style="margin-left:1px">'],
    ['<p style="font:12px/{{ x }} Arial">', 1.5, '<p style="font:12px/1.5 Arial">'],
    ['<p style="font-family:{{ x }}">', '"Open Sans", Arial', '<p style="font-family:&quot;Open Sans&quot;, Arial">'],
    ['<p style="font-family:\'{{ x }}\'">', 'Open Sans', '<p style="font-family:\'Open Sans\'">'],
    ['<p style="font-family:&quot;{{ x }}&quot;">', 'a"\\</style>', '<p style="font-family:&quot;a\\22 \\5c \\3c /style\\3e &quot;">'], // prettier-ignore
    ['<p style="background:{{ x }}">', 'linear-gradient(to right, rgba(1,2,3,.5) 0%, #fff)', '<p style="background:linear-gradient(to right, rgba(1,2,3,.5) 0%, #fff)">'], // prettier-ignore
    [
      '<p style="background:url(\'{{ x }}\')">',
      'https://a/b c?x=1&y',
      '<p style="background:url(\'https://a/b%20c?x=1&amp;y\')">',
    ],
    ['<p style="background:url({{ x }})">', "/a)b'", '<p style="background:url(/a%29b%27)">'],
    ['<p style="background:url(/i?q={{ x }})">', 'R&D #1', '<p style="background:url(/i?q=R%26D%20%231)">'],
    [
      '<p style="background:url(data:image/png;base64,{{ x }})">',
      'A+/=',
      '<p style="background:url(data:image/png;base64,A+/=)">',
    ],
    ['<style>a{x:url("{{ x }}")}</style>', '/?a&b</style>', '<style>a{x:url("/?a\\26 b%3C/style%3E")}</style>'],
    ['<style>.t-{{ x }}>b{}@media (max-width:{{ x }}px){}</style>', 6, '<style>.t-6>b{}@media (max-width:6px){}</style>'],
    ['<style>p{content:"{{ x }}"}</style>', '"}</style>', '<style>p{content:"\\22 }\\3c /style\\3e "}</style>'],
    ['<svg><style>a{fill:{{ x }}}</style></svg>', 'red', '<svg><style>a{fill:red}</style></svg>'],
    [
      '<p style="{% for k, v in x %}{{ k }}:{{ v }};{% endfor %}">',
      { color: 'red', margin: 0 },
      '<p style="color:red;margin:0;">',
    ],
  ])('stands in %s as %j', (template, x, expected) => {
    expect(render(template, { x })).toMatchObject({ body: expected, warnings: [] });
  });

  it.each([
    'url(//a)',
    'expression(1)',
    'src("//a")',
    'image-set("//a" 1x)',
    'attr(x)',
    'a;b:c',
    'a}b{',
    '</style>',
    '\\65',
    '/*',
    '*/',
    'a/',
    '*a',
    '@import',
    "'",
    '"a',
    'rgb(url(x))',
    'rgb(1',
    '1)',
    '(1)',
    'a:b',
    'red !important blue',
    '"\\',
    '<!--',
    'a=b',
    '`',
  ])('is omitted, with a warning, if it could be more than a value: %j', (x) => {
    for (const [before, after] of [
      ['<style>p{a: ', '}</style>'],
      ['<p style="a: ', '">'],
    ]) {
      const { body, warnings } = render(`${before}{{ x }}${after}`, { x });
      expect([body, warnings]).toEqual([before! + after!, [expect.objectContaining({ path: 'x', line: 1 })]]);
    }
  });

  it.each<Row>([
    ['<p style="background:url({{ x }})">', 'javascript:1', '<p style="background:url(#)">'],
    ['<p style="background:url(\'java{{ x }}\')">', 'script:1', '<p style="background:url(\'java#\')">'],
  ])('becomes # as a URL that runs: %s', (template, x, expected) => {
    expect(render(template, { x })).toMatchObject({ body: expected, warnings: [{ path: 'x' }] });
  });

  it.each([
    ['<p style="{{ x }}">', 'as a whole declaration'],
    ['<p style="color:red;{{ x }}', 'as a whole declaration'],
    ['<style>p{ {{ x }} }</style>', 'as a whole declaration'],
    ['<p style="color:{{ x }}(1)">', 'as the name of a function'],
    ['<p style="color:ur{{ x }}l(1)">', 'as the name of a function'],
    ['<p style="color:expression({{ x }})">', 'in this CSS function'],
    ['<p style="color:u\\72l({{ x }})">', 'in this CSS function'],
    ['<p style="behavior:url({{ x }})">', 'which can run a script'],
    ['<p style="background:url(javascript:{{ x }})">', 'begins with javascript:'],
    ['<style>@import url({{ x }});</style>', 'in @import'],
    ['<style>@import "{{ x }}";</style>', 'in @import'],
    ['<style>/* {{ x }} */</style>', 'in a CSS comment'],
    ['<p style="&quot{{ x }}">', 'right after &quot'],
    ['<p style="{% if y %}a:b{% endif %} {{ x }}">', 'end the declarations of each branch'],
    ['<p style="{% for y in z %}{{ y }}:{% endfor %}">', 'must end in the HTML context'],
  ])('is refused if its place shows that it is not allowed: %s', (template, reason) => {
    expect(refusal(template)).toMatch(/^line 1, column \d+: /);
    expect(refusal(template)).toContain(reason);
  });

  it.each<Row>([
    ['<p style="{{ \'background:#eee\' if x }}">', true, '<p style="background:#eee">'],
    ['<p style="{{ \'background:#eee\' if x }}">', false, '<p style="">'],
    ["<p style=\"{{ 'a:b' if x else 'c:url(//d)' }};e:f\">", false, '<p style="c:url(//d);e:f">'],
    ['<p style="color:{{ x | default(\'url("a")\') }}">', undefined, '<p style="color:url(&quot;a&quot;)">'],
    ["<style>p{color:{{ x or 'a()' }}}</style>", '', '<style>p{color:a()}</style>'],
  ])('written by the author is unchanged: %s', (template, x, expected) => expect(render(template, { x }).body).toBe(expected));
});

describe('a URL', () => {
  it.each<Row>([
    ['<a href="/s?q={{ x }}&amp;r=1">', 'R&D #1', '<a href="/s?q=R%26D%20%231&amp;r=1">'],
    ['<a href="/s#{{ x }}">', 'a b', '<a href="/s#a%20b">'],
    ['<a href="/o/{{ x }}/p">', 'a/b?c#d', '<a href="/o/a/b%3Fc%23d/p">'],
    ['<a href="{{ x }}/o?b={{ x }}">', 'https://a', '<a href="https://a/o?b=https%3A%2F%2Fa">'],
    ['<a href="https://{{ x }}/o">', 'a:80', '<a href="https://a:80/o">'],
    ['<a href="{{ x }}">', 'https://a/?b=c&d#e', '<a href="https://a/?b=c&amp;d#e">'],
    ['<a href="/s?q={{ x | urlencode }}">', 'R&D', '<a href="/s?q=R%26D">'],
    ['<a href="/o/{{ x | urlencode }}">', '../a', '<a href="/o/..%2Fa">'],
    ['<a href="/s?q={{ x | escape }}">', 'R&D', '<a href="/s?q=R%26D">'],
    ['<a href="mailto:{{ x }}">', 'a@b.c?cc=d', '<a href="mailto:a@b.c%3Fcc=d">'],
    ['<a href="sms:+43{{ x }}">', 1, '<a href="sms:+431">'],
    ['<a href="myapp://order/{{ x }}">', 1, '<a href="myapp://order/1">'],
    ['<img src="data:image/png;base64,{{ x }}">', 'A+/=', '<img src="data:image/png;base64,A+/=">'],
    ['<img srcset="data:image/png;base64,{{ x }} 1x, /a 2x">', 'AA', '<img srcset="data:image/png;base64,AA 1x, /a 2x">'],
    ['<link rel="canonical" href="{{ x }}">', 'https://a', '<link rel="canonical" href="https://a">'],
    ['<meta name="description" content="{{ x }}">', 'Reminder: pay', '<meta name="description" content="Reminder: pay">'],
    ['<meta property="og:title" content="{{ x }}">', 'a, javascript:1', '<meta property="og:title" content="a, javascript:1">'],
  ])('is written as its author intended: %s with %j', (template, x, expected) => {
    expect(render(template, { x })).toMatchObject({ body: expected, warnings: [] });
  });

  it.each<Row>([
    ['<meta http-equiv="refresh" content="1;url={{ x }}">', 'javascript:1', '<meta http-equiv="refresh" content="#">'],
    ['<a href="{{ x }}://order">', 'myapp', '<a href="#">'],
    ['<svg><animate values="/a;{{ x }}">', ' java\nscript:1', '<svg><animate values="#">'],
    ['<img src="{{ x }}">', 'data:image/png;base64,AA', '<img src="#">'],
  ])('becomes #, with a warning, when its scheme is not the author’s or runs: %s', (template, x, expected) => {
    expect(render(template, { x })).toMatchObject({ body: expected, warnings: [{ path: 'x', line: 1 }] });
  });

  it.each([
    '<a href="javascript:f({{ x }})">',
    '<a href=" JAVA&Tab;SCRIPT&colon;{{ x }}">',
    '<a href="vbscript:{{ x }}">',
    '<a href="data:text/html,{{ x }}">',
    '<a href="data:image/svg+xml,{{ x }}">',
    '<a href="data:,{{ x }}">',
    '<img src="data:image/{{ x }}">',
    '<script src="{{ x }}">',
    '<script src="https://a/{{ x }}">',
    '<link rel=stylesheet href="{{ x }}">',
    '<link href="{{ x }}" rel="icon">',
    '<link rel="icon stylesheet" href="{{ x }}">',
    '<link rel="{{ y }}" href="{{ x }}">',
    '<link {% if y %}rel="icon"{% else %}rel="stylesheet"{% endif %} href="{{ x }}">',
    '<base href="{{ x }}">',
    '<object data="{{ x }}">',
    '<embed src="{{ x }}">',
    '<iframe src="https://a/{{ x }}">',
    '<meta content="{{ x }}" http-equiv="refresh">',
  ])('accepts no parameter if it could run or restyle the page: %s', (template) => {
    expect(refusal(template)).toMatch(/^line 1, column \d+: a parameter is not allowed in /);
  });
});

describe('HTML parsing matches browsers:', () => {
  it.each([
    [
      'a text may stand in SVG, and after it',
      '<svg><title>{{ x }}</title><desc>{{ x }}</desc><text>{{ x }}</text></svg><p>{{ x }}</p>',
    ],
    ['and in noscript', '<noscript><p title="{{ x }}">{{ x }}</p></noscript>'],
    [
      'and in a conditional comment',
      '<!--[if mso]><td title="{{ x }}">{{ x }}</td><![endif]--><!--[if !mso]><!-->{{ x }}<!--<![endif]-->',
    ],
    ['and in a select', '<select><option value="{{ x }}">{{ x }}<option>{{ x }}</select><style></style>{{ x }}'],
    ['and in a loop in a comment', '<!-- {% for y in z %}{{ x }}{% endfor %} -->{{ x }}'],
    ['and after a dash in a textarea', '<textarea>a -{{ x }}</textarea>'],
    ['and after many elements that can be read in two ways', `${'<noscript><b></b></noscript>'.repeat(100)}{{ x }}`],
  ])('%s', (_, template) => {
    expect(render(template, { x: '<', z: [1, 2] }).body).toBe(
      template.replace(/\{% for.*?%\}(.*?)\{% endfor %\}/, '$1$1').replaceAll('{{ x }}', '&lt;'),
    );
  });

  it('text without a parameter is never refused', () => {
    const strange =
      '<svg><p><title><select><frameset><noscript><!-- --!><style><![CDATA[ <a href="javascript:1" style="{{ \'a\' }}';
    expect(render(strange.slice(0, -9)).body).toBe(strange.slice(0, -9));
    expect(render('<svg><title>"<title>'.repeat(50)).body).toBe('<svg><title>"<title>'.repeat(50));
  });
});
