// @nightly postgresql: no SQL of its own
import { OUTLOOK_PATTERNS, templateOf } from './support/outlook-patterns.js';
import { badInput, Rendering, UNKNOWN } from './support/rendering.js';
import { TestServer } from './support/server.js';

const WARNINGS = 'warnings{path field line column reason}';
const RESULT = `{subject body contentType missingParams ${WARNINGS} text}`;
const RENDER = `query($input:RenderingInput!){render(input:$input)${RESULT}}`;
const PREVIEW = `query($input:PreviewInput!){preview(input:$input)${RESULT}}`;
const MIB = 1024 * 1024;

describe('rendering', () => {
  let rendering: Rendering;
  beforeAll(async () => {
    rendering = await Rendering.start();
  });
  afterAll(() => rendering.stop());

  const render = async (templateName: string, params: object = {}, { api } = rendering) =>
    (await api.ask(RENDER, { input: { templateName, params: JSON.stringify(params) } })).render;
  const preview = async (template: object, params: object | string = {}) => {
    const text = typeof params === 'string' ? params : JSON.stringify(params);
    return (await rendering.api.ask(PREVIEW, { input: { template, params: text } })).preview;
  };
  const refusedPreview = (template: object, params = '{}') => rendering.api.refusal(PREVIEW, { input: { template, params } });
  const html = (body: string, more: object = {}) => ({ type: 'document', contentType: 'html', body, ...more });
  const plain = (body: string, more: object = {}) => ({ type: 'document', contentType: 'plain', body, ...more });

  it('renders a saved template with its params, and reports missing values', async () => {
    const { name } = await rendering.create({
      type: 'email',
      subject: 'For {{ who.name }}',
      body: '<p>{{ who.name }} {{ x.y }}</p>',
    });
    expect(await render(name, { who: { name: 'A & B' } })).toEqual({
      subject: 'For A & B',
      body: '<p>A &amp; B </p>',
      contentType: 'html',
      missingParams: ['x.y'],
      warnings: [],
      text: 'A & B',
    });
    const { templateParams } = await rendering.api.ask(`{templateParams(templateName:${JSON.stringify(name)})}`);
    expect(templateParams).toEqual(['who.name', 'x.y']);
  });

  it.each(OUTLOOK_PATTERNS)('accepts parameters in each place of a mail for Outlook: %s', async (_, pattern) => {
    const template = { type: 'email', contentType: 'html', body: templateOf(pattern).body };
    const params = Object.fromEntries(Array.from({ length: templateOf(pattern).count }, (_value, at) => [`p${at}`, at]));
    let at = 0;
    const body = pattern.replaceAll('@', () => `${at++}`);
    const { name } = await rendering.create(template);
    for (const rendered of [await render(name, params), await preview(template, params)]) {
      expect(rendered).toMatchObject({ body, missingParams: [], warnings: [] });
    }
  });

  /** Rendered by the server itself, and by a child process. */
  const places = [
    ['', 'in the process of the server'],
    ['{% raw %}{% endraw %}', 'in a child process'],
  ] as const;

  it.each(places)('names the values that it replaced or omitted, with their position in the source: %j, %s', async (loop) => {
    const template = { type: 'email', subject: 'S {{ o }}', body: `${loop}\n <a href="{{ o.url }}">\n{{ day | date }}` };
    const params = { o: { url: 'javascript:alert(1)' }, day: 'soon', rows: [] };
    const warnings = [
      { path: 'o', field: 'subject', line: 1, column: 6, reason: expect.stringContaining('[object Object]') },
      { path: 'o.url', field: 'body', line: 2, column: 14, reason: expect.stringContaining('replaced by "#"') },
      { path: 'day', field: 'body', line: 3, column: 4, reason: expect.stringContaining('is not a date') },
    ];
    expect((await preview(html(template.body, template), params)).warnings).toEqual(warnings);
    const { name } = await rendering.create(template);
    expect((await render(name, params)).warnings).toEqual(warnings);
    const fine = await render(name, { o: 'x', 'o.url': '', day: null, rows: [] });
    expect(fine).toMatchObject({ warnings: [], missingParams: ['o.url'] });
  });

  it('formats for the locale and time zone of the call, in this process and in a render process', async () => {
    const format = '{{ sum | currency("EUR") }} {{ at | date("long") }} {{ at | date("HH:mm") }}';
    const params = { sum: 1234.5, at: '2026-07-16T22:30:00Z', rows: Array(300_000).fill(1) };
    const loop = '{% for row in rows %}{% endfor %}'; // too much work for the server's own process
    const reader = { locale: 'de-de', timeZone: 'europe/zurich' };
    const said = '1.234,50\u00a0€ 17. Juli 2026 00:30';
    for (const [body, given] of [
      [format, { ...params, rows: [] }],
      [loop + format, params],
    ] as const) {
      const { name } = await rendering.create({ type: 'document', contentType: 'plain', body });
      const input = { params: JSON.stringify(given), ...reader };
      expect((await rendering.api.ask(RENDER, { input: { templateName: name, ...input } })).render.body).toBe(said);
      expect((await rendering.api.ask(PREVIEW, { input: { template: plain(body), ...input } })).preview.body).toBe(said);
    }
  });

  it.each([
    [{ locale: 'no such' }, 'input.locale'],
    [{ timeZone: 'Mars/Olympus' }, 'input.timeZone'],
  ])('refuses an unknown locale or time zone: %j', async (reader, field) => {
    const { name } = await rendering.create({ type: 'document', contentType: 'plain', body: 'a' });
    const refused = { code: 'BAD_USER_INPUT', field };
    expect(await rendering.api.refusal(RENDER, { input: { templateName: name, params: '{}', ...reader } })).toMatchObject(
      refused,
    );
    expect(await rendering.api.refusal(PREVIEW, { input: { template: plain('a'), params: '{}', ...reader } })).toMatchObject(
      refused,
    );
  });

  it.each(places)('refuses a strict rendering in which a value is missing or was replaced: %j, %s', async (loop) => {
    const body = `${loop}{{ who.name }}<a href="{{ url }}">`;
    const { name } = await rendering.create({ body });
    const strict = (params: object) => ({ params: JSON.stringify({ rows: [], ...params }), strict: true });
    const refusals = async (params: object) => [
      await rendering.api.refusal(RENDER, { input: { templateName: name, ...strict(params) } }),
      await rendering.api.refusal(PREVIEW, { input: { template: html(body), ...strict(params) } }),
    ];
    for (const refusal of await refusals({ url: '/' })) {
      expect(refusal).toMatchObject(badInput('input.params', /who\.name is missing$/));
    }
    for (const refusal of await refusals({ url: 'data:x' })) {
      const message = /who\.name is missing; body, line 1, column \d+, url: the URL was replaced by "#"/;
      expect(refusal).toMatchObject(badInput('input.params', message));
    }
    const whole = { templateName: name, ...strict({ who: { name: 'A' }, url: '/' }) };
    expect((await rendering.api.ask(RENDER, { input: whole })).render.body).toBe('A<a href="/">');
    const many = Array.from({ length: 20 }, (_, index) => `{{ a${index} }}`).join('');
    const refusal = await rendering.api.refusal(PREVIEW, { input: { template: plain(many), params: '{}', strict: true } });
    expect(refusal).toMatchObject(badInput('input.params', /a0 is missing; .*; and 15 more$/));
  });

  it('adds no subject to a document, and a text version to html emails only', async () => {
    expect(await preview(html('a'))).toMatchObject({ subject: null, text: null });
    expect(await preview(plain('a', { type: 'email', subject: 's\r\nt' }))).toMatchObject({
      subject: 's t',
      text: null,
      contentType: 'plain',
    });
    expect(await preview(html('<b>a</b>', { type: 'email' }))).toMatchObject({ subject: null, text: 'a' });
  });

  it('puts the stylesheets of a document into its head, the parent first, without compiling them as templates', async () => {
    const parent = await rendering.createCss({ text: 'p { color: red } /* {# {{ x }} {% if %} $& */' });
    const { body } = await preview(
      html('<p>{{ x }}</p>', { css: 'p { color: blue } @import "//x"; a{background:url(//y)}', parentCssId: parent.id }),
      { x: 1 },
    );
    const [before, after] = [body.indexOf('color: red'), body.indexOf('color: blue')];
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(before);
    expect(body).toContain('/* {# {{ x }} {% if %} $& */');
    expect(body).toMatch(/<\/head><p>1<\/p>$/);
  });

  it('inlines the stylesheets of an email, and leaves its media queries', async () => {
    const css =
      'p { color: red } p.x { color: blue } @media (max-width: 9px) { p { color: green !important } } a:hover { color: pink }';
    const { body } = await preview(html('<p class="x">{{ x }}</p>', { type: 'email', css }), { x: '<' });
    expect(body).toContain('style="color: blue;"');
    expect(body).toContain('&lt;</p>');
    expect(body).toMatch(/<style>[^<]*@media \(max-width: 9px\)[^<]*<\/style>/);
    expect(body).toContain('a:hover');
  });

  it('uses a change of the template and of its stylesheet in the next rendering, on every node', async () => {
    const parent = await rendering.createCss({ text: 'p{a:1}' });
    const { id, name } = await rendering.create({ body: 'one', parentCssId: parent.id });
    const other = await TestServer.start(rendering.server.settings);
    const there = { api: await other.api('document-rendering', rendering.api.key) } as Rendering;
    const seen = async () => [(await render(name)).body, (await render(name, {}, there)).body];
    expect(await seen()).toEqual(Array(2).fill('<head><style>\np{a:1}\n</style></head>one'));
    await rendering.update(id, { body: 'two' });
    expect(await seen()).toEqual(Array(2).fill('<head><style>\np{a:1}\n</style></head>two'));
    await rendering.api.ask(`mutation{updateCss(id:"${parent.id}",input:{text:"p{a:2}"}){id}}`);
    expect(await seen()).toEqual(Array(2).fill('<head><style>\np{a:2}\n</style></head>two'));
    await rendering.api.ask(`mutation{deleteTemplate(id:"${id}"){id}}`);
    expect((await rendering.api.refusal(RENDER, { input: { templateName: name, params: '{}' } })).code).toBe('NOT_FOUND');
    await other.app.close();
  });

  it('renders many templates concurrently, each as its own tenant saved it', async () => {
    const foreign = await rendering.another();
    const names = Array.from({ length: 9 }, (_, index) => `at once ${index}`);
    const tenants = [rendering, foreign];
    await Promise.all(tenants.flatMap((one, which) => names.map((name) => one.create({ name, body: `${which} ${name}` }))));
    const bodies = await Promise.all(tenants.flatMap((one) => names.map(async (name) => (await render(name, {}, one)).body)));
    expect(bodies).toEqual([0, 1].flatMap((which) => names.map((name) => `${which} ${name}`)));
  });

  it('does not find templates and stylesheets of another tenant', async () => {
    const { name } = await rendering.create();
    const { id } = await rendering.createCss();
    const foreign = await rendering.another();
    const input = { templateName: name, params: '{}' };
    expect((await foreign.api.refusal(RENDER, { input })).code).toBe('NOT_FOUND');
    expect((await foreign.api.refusal(`{templateParams(templateName:${JSON.stringify(name)})}`)).code).toBe('NOT_FOUND');
    const template = html('', { parentCssId: id });
    expect((await foreign.api.refusal(PREVIEW, { input: { template, params: '{}' } })).code).toBe('NOT_FOUND');
    expect((await refusedPreview(html('', { parentCssId: UNKNOWN }))).code).toBe('NOT_FOUND');
  });

  it.each([
    ['[]', 'JSON object'],
    ['null', 'JSON object'],
    ['"a"', 'JSON object'],
    ['1', 'JSON object'],
    ['', 'not JSON'],
    ['{"a":}', 'not JSON'],
    ['{"a":1}x', 'not JSON'],
    [`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, '100 levels deep'],
    [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, '100 levels deep'],
    [`{"a":"${'x'.repeat(5 * MIB)}"}`, 'at most 5242880 characters'],
    ['{"a":"x\\u0000y"}', 'a must not contain the NUL character'],
    ['{"items":[1,{},{"name":{"x":"\\uD83D"}}]}', 'items[2].name.x must be well-formed Unicode'],
    ['{"items":[{"\\udc00a":1}]}', 'the name "\\udc00a" in items[0] must be well-formed Unicode'],
    ['{"\\u0000":1}', 'the name "\\u0000" must not contain the NUL character'],
    [`{"a":"${'x'.repeat(MIB)}","b":["\\ud800"]}`, 'b[0] must be well-formed Unicode'],
  ])('refuses params that are not a JSON object: %.40s', async (params, message) => {
    expect(await refusedPreview(html('{{ a }}'), params)).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.params',
      message: expect.stringContaining(message),
    });
  });

  it('accepts escapes in params that represent valid characters', async () => {
    const params = '{"a":"\\ud83d\\udc4b\\u00e9 \\\\u0000 \\\\ud800"}';
    expect((await preview(plain('{{ a }}'), params)).body).toBe('👋é \\u0000 \\ud800');
    expect((await preview(plain('{{ a | first }}{{ a | truncate(2, true) }}'), params)).body).toBe('👋👋é...');
  });

  it('treats __proto__ in the params as a name, and accepts megabytes of params and body', async () => {
    expect((await preview(plain('{{ __proto__.a }}{{ a }}'), '{"__proto__":{"a":1}}')).body).toBe('1');
    const big = 'é'.repeat(2 * MIB);
    expect((await preview(plain('{{ a }}'), { a: big })).body).toBe(big);
    const long = `${'x'.repeat(99)}{{ a }}`.repeat(9_000);
    expect((await preview(plain(long), { a: 1 })).body).toHaveLength(900_000);
    expect(await refusedPreview(plain('x'.repeat(MIB + 1)))).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.template.body',
    });
  });

  it.each([
    [html('{{ a() }}'), 'input.template.body', /line 1, column/],
    [html('a\n<p>\n{{ first-name }}'), 'input.template.body', /line 3, column 4: .*_ instead of -/],
    [html('', { type: 'email', subject: '{% if %}' }), 'input.template.subject', /line 1/],
    [html('<p title={{ x }}>'), 'input.template.body', /unquoted/],
    [html('{{ a'), 'input.template.body', /line 1/],
    [html(`${'{% raw %}'.repeat(2_000)}${'{% x %}'.repeat(20_000)}`), 'input.template.body', /raw|unknown block/],
    [html('', { subject: 's' }), 'input.template.subject', /emails/],
    [plain('', { css: 'a{}' }), 'input.template.css', /html/],
    [plain('', { parentCssId: UNKNOWN }), 'input.template.parentCssId', /html/],
    [html('', { css: 'a{}</STYLE >' }), 'input.template.css', /style/],
  ])('refuses a preview and a creation of an invalid template: %j', async (template, field, message) => {
    expect(await refusedPreview(template)).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
      message: expect.stringMatching(message),
    });
    expect(await rendering.refusedCreate(template)).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: field.replace('.template', ''),
    });
  });

  it('renders short loops itself, and leaves long ones to a child process', async () => {
    const jobs = async () => {
      const metrics = await (await fetch(`${rendering.server.address}/metrics`)).text();
      return Number(/^render_jobs_total\{kind="render",outcome="ok"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
    };
    const { name } = await rendering.create({ body: '{% for i in x %}{% for j in x %}{{ j }}{% endfor %}{% endfor %}' });
    const before = await jobs();
    expect((await render(name, { x: [1, 2, 3] })).body).toBe('123'.repeat(3));
    expect(await jobs()).toBe(before);
    expect((await render(name, { x: Array.from({ length: 500 }, () => 1) })).body).toBe('1'.repeat(250_000));
    expect(await jobs()).toBe(before + 1);
  });

  it('stops a rendering that takes over 2 s or outputs over 10 MiB, and serves others meanwhile and afterwards', async () => {
    const loop = '{% for a in x %}{% for b in x %}{% for c in x %}{% endfor %}{% endfor %}{% endfor %}';
    // A busy machine may end a job by the clock before it has worked for 2 s, and says that trying again may help.
    const ended = async (template: object, params?: string): Promise<any> => {
      for (let attempt = 1; ; attempt++) {
        const refusal = await refusedPreview(template, params);
        if (refusal.code !== 'SERVICE_UNAVAILABLE' || attempt === 5) return refusal;
      }
    };
    const slow = ended(plain(loop), JSON.stringify({ x: Array.from({ length: 3_000 }, () => 1) }));
    const large = ended(plain('{{ a | replace("a", b) }}'), JSON.stringify({ a: 'a'.repeat(100_000), b: 'b'.repeat(MIB) }));
    const rules = Array.from({ length: 2_000 }, (_, i) => `.a${i} p { color: red }`).join('\n');
    const styled = ended(html('<div class="a1"><p>x</p></div>'.repeat(7_000), { type: 'email', css: rules }));
    expect((await preview(plain('{{ a }}'), { a: 1 })).body).toBe('1');
    expect(await slow).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.template',
      message: expect.stringContaining('limit of 2 s'),
    });
    expect(await large).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(await styled).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining('limit of 2 s') });
    expect((await preview(plain('{% for i in x %}{{ i }}{% endfor %}'), { x: [1, 2] })).body).toBe('12');
  });
});
