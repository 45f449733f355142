import { readFileSync } from 'node:fs';
import { RenderingRefused } from '../../src/modules/document-rendering/template-language/result/refusal.js';
import { type TemplateSource, compileTemplate } from '../../src/modules/document-rendering/template-language/template.js';

const source = (body: string, more: Partial<TemplateSource> = {}): TemplateSource => ({
  type: 'email',
  contentType: 'html',
  locale: null,
  subject: null,
  css: [],
  layouts: [],
  partials: [],
  body,
  ...more,
});
const render = (body: string, params: object = {}, more: Partial<TemplateSource> = {}) =>
  compileTemplate(source(body, more)).render(JSON.parse(JSON.stringify(params)) as object);
const plain = (body: string, params: object = {}) => render(body, params, { contentType: 'plain' }).body;
const refusal = (body: string, more: Partial<TemplateSource> = {}) => {
  try {
    compileTemplate(source(body, more));
  } catch (error) {
    if (error instanceof RenderingRefused) return error.refusal;
    throw error;
  }
  throw new Error(`not refused: ${body.slice(0, 200)}`);
};

describe('every row of the table in docs/document-rendering.md', () => {
  const page = readFileSync(new URL('../../docs/document-rendering.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('<!-- template language -->'), page.indexOf('<!-- end of template language -->'));
  const rows = [...table.matchAll(/^\| `(.+?)` +\| (?:`(.*?)`)? +\| `(.*?)` +\|$/gm)].map(([, template, params, result]) => [
    template!.replaceAll('\\|', '|'),
    params ?? '',
    result!,
  ]);

  it('is tested', () => expect(rows.length).toBeGreaterThan(20));
  it.each(rows)('%s with %s gives %s', (template, params, result) => {
    expect(plain(template, JSON.parse(`{${params}}`) as object)).toBe(result);
  });
});

describe('a template', () => {
  it('reads own members of the params only, whatever their names', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', '__defineGetter__', 'a.constructor.name'];
    const body = names.map((name) => `{{ ${name} }}`).join('');
    expect(render(`${body}{{ list.map }}{{ text.big }}{{ 5 | length }}`, { a: {}, list: [1], text: 'x' }).body).toBe('0');
    const params = JSON.parse('{"__proto__":{"x":"own"},"constructor":"mine","toString":"text"}') as object;
    const { body: own } = compileTemplate(source('{{ __proto__.x }} {{ constructor }} {{ toString }}')).render(params);
    expect(own).toBe('own mine text');
  });

  it('prints and compares values without calling their members', () => {
    const hostile = { x: { toString: 1, valueOf: 2, [Symbol.toPrimitive as never]: 3 } };
    expect(
      plain('{{ x }}{{ x == "a" }}{{ x < 1 }}{{ x != x }}{{ x | upper }}{{ [x] in y }}'.replace('{{ [x] in y }}', ''), hostile),
    ).toBe('[object Object]falsefalsetrue[OBJECT OBJECT]');
    expect(plain('{{ x }}', { x: [1, [2, null], 'a'] })).toBe('1,2,,a');
  });

  it('lists the names that it read and that were missing, sorted, each once; null and a default count as given', () => {
    const body =
      '{{ b }}{{ b }}{{ a.c }}{{ n }}{{ d | default("x") }}{% for i in items %}{{ i.price }}{{ loop.index }}{% endfor %}';
    const params = { n: null, items: [{}, { price: 1 }] };
    expect(render(body, params).missingParams).toEqual(['a.c', 'b', 'items[].price']);
    expect(render(body, {}, { subject: '{{ z }}' }).missingParams).toEqual(['a.c', 'b', 'items', 'n', 'z']);
    expect(compileTemplate(source(body, { subject: '{{ z }}' })).names.params).toEqual([
      'a.c',
      'b',
      'd',
      'items',
      'items[].price',
      'n',
      'z', // prettier-ignore
    ]);
    expect(
      render('{% for a in x %}{% for b in a.y %}{{ b.z }}{% endfor %}{% endfor %}', { x: [{ y: [{}] }, {}] }).missingParams,
    ).toEqual(['x[].y', 'x[].y[].z']);
  });

  it('separates the names of nested loops', () => {
    const body =
      '{% for a in x %}{% for b in y %}{{ a }}{{ b }}{{ loop.index }} {% endfor %}{{ loop.index }}{{ a }};{% endfor %}{{ a }}';
    expect(plain(body, { x: [1, 2], y: ['p', 'q'], a: 'A' })).toBe('1p1 1q2 11;2p1 2q2 22;A');
    expect(plain('{% for a, b in x %}{{ a }}-{{ b }} {% endfor %}', { x: [[1, 2], [3]] })).toBe('1-2 3- ');
  });

  it('has a subject of one line', () => {
    const { subject } = render('', { s: 'x\r\nBcc: a@b.c\u2028d\ne' }, { subject: 'A\n{{ s }} <&>' });
    expect(subject).toBe('A x Bcc: a@b.c d e <&>');
  });

  it('writes at most 10 MiB', () => {
    const big = 'x'.repeat(1024 * 1024);
    expect(() => plain('{{ x }}'.repeat(11), { x: big })).toThrow('the output exceeds 10 MiB');
    expect(() => plain('{{ x | replace("x", x) }}', { x: big })).toThrow('the output exceeds 10 MiB');
    expect(() => plain('{{ x | replace("", x) }}', { x: big })).toThrow('the output exceeds 10 MiB');
    expect(() => plain('{{ x | join(y) }}', { x: Array.from({ length: 20 }, () => 1), y: big })).toThrow(
      'the output exceeds 10 MiB',
    );
    expect(() => plain('{{ x | truncate(1, true, y) }}'.repeat(11), { x: 'aaa', y: big })).toThrow('the output exceeds 10 MiB');
  });
});

describe('a parameter in HTML', () => {
  const evil = `"'><script>alert(1)</script>&\``;
  it.each([
    ['<p>{{ x }}</p>', '<p>&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96;</p>'],
    ['<p title="{{ x }}">', '<p title="&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96;">'],
    ["<p title='{{ x }}'>", "<p title='&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96;'>"],
    ['<!-- {{ x }} -->', '<!-- &quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96; -->'],
    ['<textarea>{{ x }}</textarea>', '<textarea>&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96;</textarea>'],
    ['<style>p{color:{{ x }}}</style>', '<style>p{color:}</style>'],
    ['<p style="color:{{ x }}">', '<p style="color:">'],
    ['{{ x | nl2br }}', '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96;'],
    ['{{ x | escape }}', '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#96;'],
    [
      '{{ x | escape | upper }}',
      '&amp;QUOT;&amp;#39;&amp;GT;&amp;LT;SCRIPT&amp;GT;ALERT(1)&amp;LT;/SCRIPT&amp;GT;&amp;AMP;&amp;#96;',
    ],
    ['{{ x | replace("\'", "<b>") | first }}', '&quot;'],
  ])('is escaped: %s', (body, expected) => expect(render(body, { x: evil }).body).toBe(expected));

  it.each([
    '<script>{{ x }}</script>',
    '<SCRIPT type="text/x">let a = "{{ x }}"',
    '<script>"</scripty>{{ x }}',
    '<svg><script>{{ x }}',
    '<p onclick="{{ x }}">',
    "<p ONLOAD = '{{ x }}'>",
    '<p title={{ x }}>',
    '<p title=a{{ x }}>',
    '<p {{ x }}>',
    '<{{ x }}>',
    '<p{{ x }}>',
    '<p {{ x }}="a">',
    '</p {{ x }}>',
    '<!doctype {{ x }}>',
    '<iframe srcdoc="{{ x }}">',
    '<a {% if y %}href{% else %}onclick{% endif %}="{{ x }}">',
    '<a {% if y %}href{% endif %}="{{ x }}">',
    '<a {% if y %}on{% else %}x{% endif %}click="{{ x }}">',
    '<a {% if y %}title{% endif %}="<a title="<script>{{ x }}">',
    '<a b{% for i in y %} ="{{ x }}" onclick{% endfor %}>',
    '{% if y %}<script>{% endif %}{{ x }}',
    '{% for i in y %}<a title="{% endfor %}{{ x }}">',
    '<a title="{% if y %}"{% endif %} onclick="{{ x }}">',
    '<textarea></textarea><script>{{ x }}',
    '<!-- --><script>{{ x }}',
    '<!--><script>{{ x }}',
    '<p title="a>b"><script>{{ x }}',
    '{% if y %}{% else %}<script>{{ x }}</script>{% endif %}',
  ])('is refused if no escaping protects: %s', (body) => {
    expect(refusal(body)).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'body',
      message: expect.stringMatching(/^line 1, column \d+: /),
    });
  });

  it.each([
    ['https://a.example/?b=c&d', 'https://a.example/?b=c&amp;d'],
    ['HTTP://a', 'HTTP://a'],
    ['mailto:a@b.c', 'mailto:a@b.c'],
    ['tel:+1', 'tel:+1'],
    ['cid:x@y', 'cid:x@y'],
    ['/a?b=c:d', '/a?b=c:d'],
    ['../a', '../a'],
    ['#a:b', '#a:b'],
    ['//cdn.example/x', '//cdn.example/x'],
    ['a b: c', 'a b: c'],
    ['', ''],
    ['javascript:alert(1)', '#'],
    ['JaVaScRiPt:alert(1)', '#'],
    ['java\nscript:alert(1)', '#'],
    ['\u0001 javascript:alert(1)', '#'],
    ['\tjava\tscript\t:alert(1)', '#'],
    ['data:text/html,<script>', '#'],
    ['vbscript:x', '#'],
    ['file:///etc/passwd', '#'],
    ['blob:x', '#'],
  ])('as the URL %j becomes %j', (x, expected) => {
    expect(render('<a href="{{ x }}">', { x }).body).toBe(`<a href="${expected}">`);
    expect(render('<form action="{{ x }}">', { x }).body).toBe(`<form action="${expected}">`);
    expect(render('<svg><a xlink:href="{{ x }}">', { x }).body).toBe(`<svg><a xlink:href="${expected}">`);
  });

  it('in a URL is judged with all text beside it', () => {
    expect(render('<a href="{{ a }}{{ b }}">', { a: 'java', b: 'script:alert(1)' }).body).toBe('<a href="#">');
    expect(render('<a href="java{{ b }}">', { b: 'script:alert(1)' }).body).toBe('<a href="#">');
    expect(render('<a href="https://a.example/{{ b }}">', { b: 'javascript:' }).body).toBe(
      '<a href="https://a.example/javascript:">',
    );
    expect(render('<a href="{% for p in a %}{{ p }}{% endfor %}">', { a: ['java', 'script:'] }).body).toBe('<a href="#">');
    expect(render('<a href="{% if q %}{{ a }}"{% else %}/"{% endif %}>', { a: 'data:x', q: 1 }).body).toBe('<a href="#">');
    expect(render('<a href="{{ a }}', { a: 'data:x' }).body).toBe('<a href="#');
    expect(render('<img srcset="{{ a }} 1x, {{ b }} 2x">', { a: '/a', b: 'javascript:1' }).body).toBe('<img srcset="#">');
    expect(render('<meta http-equiv="refresh" content="0;url={{ a }}">', { a: 'javascript:1' }).body).toContain('content="#"');
    expect(render('<!--[if mso]><a href="{{ a }}">x</a><![endif]-->', { a: 'javascript:1' }).body).toContain('href="#"');
  });

  it('as a colour or a length is unchanged, in a style', () => {
    for (const x of ['red', '#fa0', '1.5em', '10px 20px', 'rgb(1, 2, 3)', 'rgba(1,2,3,.5)', '100%', 5])
      expect(render('<p style="a: {{ x }}">', { x }).body).toBe(`<p style="a: ${x}">`);
    for (const x of ['url(//a)', 'expression(1)', 'a;b:c', 'a}b{', '</style>', '\\65', '/*', '@import', "'", 'rgb(url(x))'])
      expect(render('<style>p{a: {{ x }}}</style>', { x }).body).toBe('<style>p{a: }</style>');
  });

  it('may stand in a tag that is opened in two ways', () => {
    expect(render('<option {% if c %}selected{% endif %}>{{ x }}</option>', { c: true, x: 1 }).body).toBe(
      '<option selected>1</option>',
    );
    expect(render('{% if c %}<b>{{ x }}</b>{% elif d %}<i>{{ x }}</i>{% else %}-{% endif %}', { d: 1, x: '<' }).body).toBe(
      '<i>&lt;</i>',
    );
  });

  it('in plain text is unchanged', () => expect(plain('<script>{{ x }}', { x: evil })).toBe(`<script>${evil}`));
});

describe('a forbidden construct', () => {
  const injections = [
    "{{ range.constructor(\"return global.process.mainModule.require('child_process').execSync('id')\")() }}",
    '{{ cycler.__init__.__globals__.os.popen("id").read() }}',
    '{{ "".constructor.constructor("return process")() }}',
    '{{ [].constructor }}',
    '{{ {}.constructor }}',
    '{{ {"a": 1} }}',
    '{{ a["con" ~ "structor"] }}',
    '{{ a[b] }}',
    '{{ a[b.c] }}',
    '{{ a()() }}',
    '{{ a.b("c") }}',
    '{{ (a)() }}',
    '{{ joiner("x")() }}',
    '{{ range(300000000) | join }}',
    '{% for i in range(1, 9) %}{% endfor %}',
    '{% for i in [1, 2] %}{% endfor %}',
    '{% for i in "abc" %}{% endfor %}',
    '{% for i in a | sort %}{% endfor %}',
    '{% for a, b, c in d %}{% endfor %}',
    '{% set x = 1 %}',
    '{% set x %}1{% endset %}',
    '{% import "x" as y %}',
    '{% from "x" import y %}',
    '{% extends "x" %}',
    '{% macro x() %}{% endmacro %}',
    '{% call x() %}{% endcall %}',
    '{% filter upper %}{% endfilter %}',
    '{% switch a %}{% case 1 %}{% endswitch %}',
    '{% asyncEach a in b %}{% endeach %}',
    '{% asyncAll a in b %}{% endall %}',
    '{% ifAsync a %}{% endif %}',
    '{{ a | safe }}',
    '{{ a | dump }}',
    '{{ a | constructor }}',
    '{{ a | __proto__ }}',
    '{{ a | toString }}',
    '{{ a | sort }}',
    '{{ a | attr("b") }}',
    '{{ a | map("b") }}',
    '{{ a | default(value="1") }}',
    '{{ a | default("1", true, 3) }}',
    '{{ a + b }}',
    '{{ a ** 9 }}',
    '{{ a * 9 }}',
    '{{ a / 9 }}',
    '{{ a // 9 }}',
    '{{ a % 9 }}',
    '{{ -a }}',
    '{{ +a }}',
    '{{ a ~ b }}',
    '{{ a is defined }}',
    '{{ a < b < c }}',
    '{{ (a, b) }}',
    '{{ [a] }}',
    '{{ a in [b] }}',
    '{{ r/(a+)+$/ }}',
    '{{ super() }}',
    '{{ caller() }}',
    '{{ self.x() }}',
    '{% for i in a %}{{ loop.cycle("a") }}{% endfor %}',
    '{% for i in a %}{{ loop }}{% endfor %}',
    '{% for i in a %}{{ loop.index.constructor }}{% endfor %}',
    '{{ a | date(b) }}',
    '{{ a | date("jjj") }}',
    '{{ a | date("YYYY") }}',
    '{{ a | number("abc") }}',
    '{{ a | number(b) }}',
    '{{ first-name }}',
    '{{ a b }}',
    '{{ }}',
    '{{',
    '{% if a %}',
    '{% if a %}{% else %}',
    '{% for a in b %}',
    '{% endif %}',
    '{% unknown %}',
    '{% raw %}',
    '{#',
    '{{ "a }}',
  ];
  it.each(injections)('%s is refused with line and column, and nothing runs', (body) => {
    const { code, field, message } = refusal(`one\n ${body}`, { contentType: 'plain' });
    expect([code, field]).toEqual(['BAD_USER_INPUT', 'body']);
    expect(message).toMatch(/^line \d+, column \d+: .{5,}/);
    expect(message).not.toMatch(/node_modules|at \w+ \(|undefined/);
  });

  it.each([
    ['10,000 nested blocks', '{% if a %}'.repeat(10_000) + '{% endif %}'.repeat(10_000)],
    ['10,000 brackets', `{{ ${'('.repeat(10_000)}a${')'.repeat(10_000)} }}`],
    ['10,000 times not', `{{ ${'not '.repeat(10_000)}a }}`],
  ])('%s are refused, and the process lives', (_, body) => {
    expect(refusal(body)).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining('nested too deeply') });
  });

  it.each([
    '{{', '{%', '{#', '{{ a', '{{ a.', '{{ a.b.', '{{ a|', '{{ a[', '{{ a[0', '{{ (a', '{{ a(', '{{ [', '{{ {', '{{ "a }}', "{{ 'a", '{{ "\\',
    '{{ r/', '{{ not', '{{ a if', '{{ a ==', '{{ -', '{%-', '{{-', '{% if', '{% if a', '{% if a %}', '{% if a %}{% elif', '{% if a %}{% else',
    '{% for', '{% for a', '{% for a in', '{% for a in b', '{% for a in b %}', '{% set', '{% include', '{% raw', '{% raw %}', '{% macro a(', '{% a',
  ])('%s is refused where it ends, in plain words', (body) => {
    for (const contentType of ['html', 'plain'] as const) {
      const { message, field, code } = refusal(`x\n${body}`, { contentType });
      expect([code, field]).toEqual(['BAD_USER_INPUT', 'body']);
      expect(message).toMatch(/^line 2, column \d+: /);
      expect(message).not.toMatch(/Cannot read|undefined|null|is not a function|call stack/);
    }
  }); // prettier-ignore

  it('a refusal names the wrong text', () => {
    expect(refusal('', { subject: '{{ a() }}' })).toMatchObject({ field: 'subject' });
    expect(refusal('{{ first-name }}').message).toContain('write _ instead of -');
    expect(refusal('{{ x | sfae }}').message).toContain('the filters are upper, lower');
  });
});

describe('warnings', () => {
  it('name each value that was replaced or omitted: its parameter, its position in the source, and why', () => {
    const body =
      'x\n<a href="{{ url }}">\n{% for i in items %}<p style="color:{{ i.color }}"><img src="/{{ i.a }}" alt="{{ i.a }}">{% endfor %}' +
      '<a href="{{ a | trim }}{{ b or "x" }}{{ "y" if b else c }}">';
    const params = {
      url: 'javascript:1',
      items: [{ color: 'a;b' }, { color: 'url(x)' }, { color: 'red' }],
      a: 'java',
      b: 'script:',
    };
    const at = (text: string) => {
      const before = body.slice(0, body.indexOf(text)).split('\n');
      return { line: before.length, column: before.at(-1)!.length + 1 };
    };
    expect(render(body, params, { subject: '{{ url }}' }).warnings).toEqual([
      { path: 'url', field: 'body', part: null, ...at('url }}'), reason: expect.stringContaining('replaced by "#"') },
      { path: 'items[].color', field: 'body', part: null, ...at('i.color'), reason: expect.stringContaining('omitted') },
      { path: 'a', field: 'body', part: null, ...at('a | trim'), reason: expect.stringContaining('replaced by "#"') },
      { path: 'b', field: 'body', part: null, ...at('b or'), reason: expect.stringContaining('replaced by "#"') },
      { path: null, field: 'body', part: null, ...at('"y"'), reason: expect.stringContaining('replaced by "#"') },
    ]);
    expect(render(body, { ...params, url: 'https://a.b', items: [], a: '/' }).warnings).toEqual([]);
  });

  it('name the parameter that the value came from, whichever of several it was', () => {
    const paths = (value: string, params: object) =>
      render(`<a href="{{ ${value} }}">`, params).warnings.map(({ path }) => path); // prettier-ignore
    const both = { a: 'data:a', b: 'data:b', none: '' };
    expect(paths('a | default(b)', both)).toEqual(['a']);
    expect(paths('gone | default(b)', both)).toEqual(['b']);
    expect(paths('none | default(b, true)', both)).toEqual(['b']);
    expect(paths('none or b', both)).toEqual(['b']);
    expect(paths('b if a else none', both)).toEqual(['b']);
    expect(paths('a | replace(b, none)', both)).toEqual(['a']);
    expect(paths('gone | default("data:x")', both)).toEqual([null]);
  });

  it('are at most 100', () => {
    const body = Array.from({ length: 150 }, (_, index) => `<a href="{{ a${index} }}">`).join('');
    const params = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`a${index}`, 'data:x']));
    expect(render(body, params).warnings).toHaveLength(100);
  });
});

describe('a character, as readers see it', () => {
  const family = '👨‍👩‍👧';
  it.each([
    ['{{ s | first }}', '👋🏽 Ann', '👋🏽'],
    ['{{ s | first }}', `${family}x`, family],
    ['{{ s | first }}', 'e\u0301a', 'e\u0301'],
    ['{{ s | last }}', 'Ann 🇦🇹🇩🇪', '🇩🇪'],
    ['{{ s | last }}', 'ab', 'b'],
    ['{{ s | first }}{{ s | last }}', '', ''],
    ['{{ s | length }}', `a${family}e\u0301🇦🇹漢`, '5'],
    ['{{ s.length }} {{ s[1] }}', `a${family}b`, `3 ${family}`],
    ['[{{ s[3] }}]', `a${family}b`, '[]'],
    ['{{ s | truncate(2, true, "…") }}', `${family}${family}${family}`, `${family}${family}…`],
    ['{{ s | truncate(3) }}', `${family}${family}${family}`, `${family}${family}${family}`],
    ['{{ s | truncate(6, false, "…") }}', '👋👋 👋👋 👋👋', '👋👋 👋👋…'],
    ['{{ s | truncate(7, false, "…") }}', '👋👋 👋👋 👋👋', '👋👋 👋👋…'],
    ['{{ s | capitalize }}', '𐐨𐐨', '𐐀𐐨'],
    ['{{ s | capitalize }}', 'e\u0301A', 'E\u0301a'],
    ['{{ s | title }}', 'ab 𐐨b 👋x', 'Ab 𐐀b 👋x'],
    ['{{ s | replace("", "-") }}', '👋a', '-👋-a-'],
    ['{{ s | replace("", "-", 2) }}', `${family}👋a`, `-${family}-👋a`],
    ['{{ s | replace("👋", "-") }}', '👋👋🏽', '-👋🏽'],
    ['{{ s | replace("e", "a") }}', 'ee\u0301e', 'ae\u0301a'],
    ['{{ s | replace("\n", "|") }}', 'a\r\nb\r\n', 'a\r|b\r|'],
  ])('%s of %j is %j', (body, s, expected) => {
    expect(plain(body, { s })).toBe(expected);
    expect(plain(body, { s }).isWellFormed()).toBe(true);
  });

  it('has the boundaries that the engine finds', () => {
    const engine = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const parts = [
      'a',
      '\r',
      '\n',
      'e\u0301',
      '👋',
      '🏽',
      '\u200d',
      '🇦',
      '🇹',
      '漢',
      '각',
      '\u1100',
      '\u1161',
      'กำ',
      '❤️',
      '\u0600',
    ];
    for (let seed = 1; seed <= 300; seed++) {
      const s = Array.from({ length: 7 }, (_, index) => parts[(seed * (index + 3) * 7919 + (seed >> index)) % parts.length]).join(
        '',
      );
      const characters = [...engine.segment(s)].map(({ segment }) => segment);
      expect([s, plain('{{ s | first }}', { s }), plain('{{ s | last }}', { s }), plain('{{ s | length }}', { s })]).toEqual([
        s,
        characters[0],
        characters.at(-1),
        String(characters.length),
      ]);
    }
  });

  it('is found in texts of megabytes', () => {
    const s = `a${family.repeat(130_000)}`;
    const body = '{{ s | first }}{{ s | last }}{{ s | length }}{{ s | truncate(100000, true, "") | length }}{{ s[99999] }}';
    expect(plain(body, { s })).toBe(`a${family}130001100000${family}`);
    expect(plain('{{ s | replace("", "-") | length }}', { s: '漢👋'.repeat(100_000) })).toBe('400001');
  });

  it('is never cut into malformed output', () => {
    expect(compileTemplate(source('\ud83d{{ x }}')).render({ x: '\udc4b\ud800' }).body).toBe('👋\ufffd');
    expect(render('{{ s[0] }}', { s: '👋' }, { subject: '{{ s | first }}' })).toMatchObject({ subject: '👋', body: '👋' });
  });
});

describe('a date', () => {
  const warned = (d: unknown, pattern = '') => {
    const { body, warnings } = render(`{{ d | date${pattern && `("${pattern}")`} }}`, { d }, { contentType: 'plain' });
    return [body, warnings.map(({ path, reason }) => `${path}: ${reason}`).join()];
  };
  it.each([
    ['2024-07-16 15:00:00', '2024-07-16 15:00'],
    ['2024-07-16T15:00', '2024-07-16 15:00'],
    ['2024-07-16 15:00:00.123456+02', '2024-07-16 13:00'],
    ['2024-07-16T15:00:00 +0530', '2024-07-16 09:30'],
    ['2024-07-16t15:00:00z', '2024-07-16 15:00'],
    [' 2024-07-16 ', '2024-07-16 00:00'],
    ['2024-02-29', '2024-02-29 00:00'],
    [1721142000000, '2024-07-16 15:00'],
    [-1, '1969-12-31 23:59'],
    [null, ''],
  ])('is read from %j', (d, expected) => expect(warned(d, 'yyyy-MM-dd HH:mm')).toEqual([expected, '']));

  it.each([
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-07-16T25:00',
    '2024-07-16 15:00:00 CET',
    '16.07.2024',
    '1721142000',
    '',
    8.64e15 + 1,
  ])('that cannot be read is written as it is, with a warning: %j', (d) =>
    expect(warned(d)).toEqual([String(d), expect.stringContaining('d: written unchanged, because it is not a date')]),
  );

  it.each([
    ["h 'o''clock' a", "3 o'clock PM"],
    ["d''M", "16'7"],
    ["HH:mm z'x'", '15:00 UTCx'],
    ['aaaa O Z ZZZZZ', 'PM GMT +0000 Z'],
    ['do MMMM', '16th July'],
    ['Mm', '70'],
    ['EEEE, d. MMM yy', 'Tuesday, 16. Jul 24'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2024-07-16T15:00:00.000Z'],
  ])('has the pattern %s', (pattern, expected) => expect(warned('2024-07-16T15:00:00Z', pattern)).toEqual([expected, '']));

  it.each([
    ['', /empty/],
    ['yyyy-MM-ddTHH:mm', /T is not a field; .*single quotes/],
    ['p', /not a field/],
    ['DD', /write yyyy for the year and dd/],
    ['ddd', /not a field of this length/],
    ['b', /not a field/],
    ["d 'of", /never closed/],
  ])('is refused with the pattern %j', (pattern, message) => {
    return expect(refusal(`{{ d | date("${pattern}") }}`).message).toMatch(message);
  });
});

describe('a number', () => {
  it.each([
    ['0‰', 0.0125, '13‰'],
    ['0.0‰', 0.0011, '1.1‰'],
    ['#,##0 %', 12.345, '1,235 %'],
    ['%0', 0.5, '%50'],
    ["0'%'", 5, '5%'],
    ['#,##,##0', 123456789, '12,34,56,789'],
    ['#,####', 123456789, '1,2345,6789'],
    ['0,000', 5, '0,005'],
    ['#,##0.00', -1234.5, '-1,234.50'],
    ['€ #,##0.00', -1234.5, '-€ 1,234.50'],
    ['#,##0.00;(#,##0.00)', -1234.5, '(1,234.50)'],
    ['0;0', -1, '-1'],
    ["0;minus' '0", -1, 'minus 1'],
    ['0', -0.4, '0'],
    ["0 'o''clock'", 5, "5 o'clock"],
    ["''0", 5, "'5"],
    ["0'#'", 5, '5#'],
    ['0.', 5, '5.'],
    ['#.##', 0.5, '0.5'],
    ['#.00', 0.5, '.50'],
    ['.##', 0.5, '.5'],
    ['0 E', 5, '5 E'],
    ['0.00', '9007199254740993.25', '9007199254740993.25'],
    ['0.#', '1.5e3', '1500'],
    ['0%', '0.29', '29%'],
  ])('with the pattern %s: %j is %j', (pattern, n, expected) => {
    expect(render(`{{ n | number("${pattern}") }}`, { n }, { contentType: 'plain' })).toMatchObject({
      body: expected,
      warnings: [],
    });
  });

  it.each([
    ['¤#,##0.00', /currencies are not supported.*write the sign/],
    ['0.###E0', /exponents are not supported/],
    ['##0.#E+0', /exponents are not supported/],
    ['@@#', /significant digits/],
    ['#,##0.05', /rounding to a digit is not supported/],
    ['0#', /number patterns look like/],
    ['#,', /number patterns look like/],
    ['0.0,0', /number patterns look like/],
    ['*x0', /\* is not allowed there/],
    ['0 #', /# is not allowed there/],
    ['0;0;0', /; is not allowed there/],
    ['0%%', /can have one % or ‰/],
    ["0 'x", /never closed/],
    ['abc', /number patterns look like/],
    ['', /number patterns look like/],
    ['0'.repeat(99) + 'x', /at most 20 digits/],
  ])('is refused with the pattern %j', (pattern, message) => {
    expect(refusal(`{{ n | number("${pattern}") }}`).message).toMatch(message);
  });

  it('that cannot be read is written as it is, with a warning; null and missing values are empty', () => {
    const filters = ['number', 'number("0%")', 'round'];
    for (const n of ['1,5', '0x10', '', 'Infinity', '9'.repeat(101)])
      for (const filter of filters)
        expect(render(`{{ n | ${filter} }}`, { n })).toMatchObject({ body: n, warnings: [{ path: 'n', column: 4 }] });
    for (const filter of filters)
      expect(render(`{{ n | ${filter} }}{{ gone | ${filter} }}`, { n: null })).toMatchObject({ body: '', warnings: [] });
  });
});
