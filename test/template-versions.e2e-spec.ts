import { Rendering } from './support/rendering.js';

const VERSION = 'version contentType subject body css parentCssId layoutId locale sampleParams comment author{name} createdAt';
const VERSIONS = `query($name:String!,$limit:Int,$nextToken:String){templateVersions(name:$name,limit:$limit,nextToken:$nextToken){items{${VERSION}} nextToken}}`;
const RESTORE =
  'mutation($id:ID!,$version:Int!,$author:AuthorInput){restoreTemplateVersion(id:$id,version:$version,author:$author){id version body subject locale layoutId author{name} translations{locale body}}}';
const RENDER = 'query($input:RenderingInput!){render(input:$input){subject body locale}}';
const PUT =
  'mutation($id:ID!,$locale:String!,$input:TemplateTranslationInput!){putTemplateTranslation(templateId:$id,locale:$locale,input:$input){locale}}';
const CREATE_PARTIAL = 'mutation($input:CreatePartialInput!){createPartial(input:$input){id name}}';
const UPDATE_PARTIAL = 'mutation($id:ID!,$input:UpdatePartialInput!){updatePartial(id:$id,input:$input){id}}';
const UPDATE_CSS = 'mutation($id:ID!,$text:String){updateCss(id:$id,input:{text:$text}){id}}';
const DELETE = 'mutation($id:ID!){deleteTemplate(id:$id){id}}';

describe('versions of templates', () => {
  let at: Rendering;
  beforeAll(async () => (at = await Rendering.start()));
  afterAll(() => at.stop());

  const versions = async (name: string, given: object = {}) => (await at.api.ask(VERSIONS, { name, ...given })).templateVersions;
  const render = async (templateName: string, version?: number, locale?: string) =>
    (await at.api.ask(RENDER, { input: { templateName, version, locale, params: '{"x":1}' } })).render.body;
  const restore = async (id: string, version: number, author?: object) =>
    (await at.api.ask(RESTORE, { id, version, author })).restoreTemplateVersion;

  it('list each save, newest first, in pages', async () => {
    const { id, name } = await at.create({ body: 'one', comment: 'c', author: { name: 'Ann' }, sampleParams: '{"x":1}' });
    await at.update(id, { body: 'two', author: { name: 'Bob' }, locale: 'de', sampleParams: null });
    await at.update(id, { body: 'three', css: 'p{}' });
    const { items, nextToken } = await versions(name);
    expect(nextToken).toBeNull();
    expect(items).toMatchObject([
      { version: 3, body: 'three', css: 'p{}', locale: 'de', author: { name: 'Bob' } },
      { version: 2, body: 'two', css: null, author: { name: 'Bob' }, sampleParams: null },
      { version: 1, body: 'one', locale: null, comment: 'c', author: { name: 'Ann' }, sampleParams: '{"x":1}' },
    ]);
    const first = await versions(name, { limit: 2 });
    const second = await versions(name, { limit: 2, nextToken: first.nextToken });
    expect([...first.items, ...second.items].map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
  });

  it('render a version as it was approved, however its partials changed', async () => {
    const partial = (await at.api.ask(CREATE_PARTIAL, { input: { name: 'pinned', contentType: 'html', body: 'P1' } }))
      .createPartial;
    const css = await at.createCss({ text: 'p{color:red}' });
    const layout = await at.create({ body: '<head></head>L1{% block content %}{% endblock %}', parentCssId: css.id });
    const { id, name } = await at.create({ body: 'B1{{ x }}{% include "pinned" %}', layoutId: layout.id });
    await at.api.ask(PUT, { id, locale: 'de', input: { body: 'D1' } });
    const approved = await render(name, 2);
    expect(approved).toMatch(/color:red.*L1B11P1$/s);
    await at.api.ask(UPDATE_PARTIAL, { id: partial.id, input: { body: 'P2' } });
    await at.api.ask(UPDATE_CSS, { id: css.id, text: 'p{color:blue}' });
    await at.update(layout.id, { body: '<head></head>L2{% block content %}{% endblock %}' });
    await at.api.ask(PUT, { id, locale: 'de', input: { body: 'D2' } });
    await at.update(id, { body: 'B2' });
    expect(await render(name, 2)).toBe(approved);
    expect(await render(name, 2, 'de-CH')).toMatch(/L1D1$/);
    expect(await render(name, 1, 'de')).toMatch(/L1B11P1$/);
    expect(await render(name, undefined, 'de')).toMatch(/color:blue.*L2D2$/s);
    await at.update(id, { body: 'B3', layoutId: null });
    await at.api.ask(DELETE, { id: layout.id });
    expect(await render(name, 2)).toBe(approved);
  });

  it('have the shared stylesheet that they were saved with, in the head and in style attributes, however it changed', async () => {
    const css = await at.createCss({ text: 'p{color:red}' });
    const { id, name } = await at.create({ body: '<p>B1', parentCssId: css.id });
    const mail = await at.create({ type: 'email', subject: 's', body: '<p>M1', parentCssId: css.id });
    await at.api.ask(PUT, { id, locale: 'de', input: { body: '<p>D1' } });
    const [document, email] = [await render(name), await render(mail.name)];
    expect([document, email]).toEqual([expect.stringContaining('p{color:red}'), expect.stringContaining('style="color: red;"')]);
    expect(await render(name, 1)).toBe(document);
    expect(await render(name, 2, 'de')).toMatch(/p\{color:red\}.*D1$/s);
    expect(await render(mail.name, 1)).toBe(email);
    await at.api.ask(UPDATE_CSS, { id: css.id, text: 'p{color:blue}' });
    const other = await at.createCss({ text: 'p{color:green}' });
    await at.update(id, { body: '<p>B3', parentCssId: other.id });
    await at.update(mail.id, { body: '<p>M2', parentCssId: null });
    expect(await render(name, 1)).toBe(document);
    expect(await render(name, 3)).toMatch(/color:green.*B3/s);
    expect(await render(mail.name, 1)).toBe(email);
    expect(await render(mail.name, 2)).toBe('<p>M2');
  });

  it('restore a version with its translations as a new one', async () => {
    const { id, name } = await at.create({ type: 'email', subject: 's1', body: 'one', locale: 'fr' });
    await at.api.ask(PUT, { id, locale: 'de', input: { body: 'eins' } });
    await at.update(id, { subject: 's2', body: 'two', locale: null });
    await at.api.ask(PUT, { id, locale: 'it', input: { body: 'due' } });
    const restored = await restore(id, 2, { name: 'Eve' });
    expect(restored).toMatchObject({ version: 5, body: 'one', subject: 's1', locale: 'fr', author: { name: 'Eve' } });
    expect(restored.translations).toEqual([{ locale: 'de', body: 'eins' }]);
    expect(await render(name, undefined, 'de')).toBe('eins');
    expect(await render(name, 4, 'it')).toBe('due');
    expect((await versions(name)).items.map(({ body }: { body: string }) => body)).toEqual(['one', 'two', 'two', 'one', 'one']);
  });

  it('cannot be restored without their layout, and nothing is lost', async () => {
    const layout = await at.create({ body: '{% block content %}{% endblock %}' });
    const { id, name } = await at.create({ body: 'one', layoutId: layout.id });
    await at.update(id, { body: 'two', layoutId: null });
    await at.api.ask(DELETE, { id: layout.id });
    expect(await at.api.refusal(RESTORE, { id, version: 1 })).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(layout.id),
    });
    expect(await render(name)).toBe('two');
    expect(await render(name, 1)).toBe('one');
  });

  it('are limited to the last 50', async () => {
    const { id, name } = await at.create({ body: 'v1' });
    for (let version = 2; version <= 53; version++) await at.update(id, { body: `v${version}` });
    const { items } = await versions(name);
    expect(items).toHaveLength(50);
    expect(items.at(-1)).toMatchObject({ version: 4, body: 'v4' });
    expect(await render(name, 4)).toBe('v4');
    const gone = await at.api.refusal(RENDER, { input: { templateName: name, version: 3, params: '{}' } });
    expect(gone).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are fewer when they are long, but always include the newest', async () => {
    const { id, name } = await at.create({ body: 'x' });
    const long = 'x'.repeat(1_048_576);
    for (let time = 0; time < 34; time++) await at.update(id, { body: `${time}`.padStart(2, '0') + long.slice(2) });
    const kept: number[] = [];
    for (let nextToken: string | null = null, more = true; more; more = nextToken !== null) {
      const page = await versions(name, { nextToken });
      kept.push(...page.items.map(({ version }: { version: number }) => version));
      nextToken = page.nextToken;
    }
    expect(kept.length).toBeGreaterThan(28);
    expect(kept.length).toBeLessThanOrEqual(32);
    expect(kept[0]).toBe(35);
  });

  it('are not found for other tenants, with unknown numbers, and once the template is deleted', async () => {
    const { id, name } = await at.create();
    const other = await at.another();
    for (const api of [other.api]) {
      expect(await api.refusal(VERSIONS, { name })).toMatchObject({ code: 'NOT_FOUND' });
      expect(await api.refusal(RESTORE, { id, version: 1 })).toMatchObject({ code: 'NOT_FOUND' });
    }
    for (const version of [2, 2_147_483_647]) {
      expect(await at.api.refusal(RESTORE, { id, version })).toMatchObject({ code: 'NOT_FOUND' });
      expect(await at.api.refusal(RENDER, { input: { templateName: name, version, params: '{}' } })).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    for (const version of [0, -1]) {
      expect(await at.api.refusal(RESTORE, { id, version })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'version' });
    }
    await at.api.ask(DELETE, { id });
    const again = await at.create({ name, body: 'new' });
    expect((await versions(name)).items).toHaveLength(1);
    expect(await render(name, 1)).toBe('new');
    expect(again.id).not.toBe(id);
  });

  it('refuse sample params that are not a JSON object', async () => {
    for (const sampleParams of ['', '[]', '{', '{"a":"\\u0000"}', `{"a":"${'x'.repeat(65_536)}"}`]) {
      expect(await at.refusedCreate({ sampleParams })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.sampleParams' });
    }
  });
});
