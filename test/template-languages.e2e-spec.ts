import type { Api } from './support/api.js';
import { Rendering, UNKNOWN } from './support/rendering.js';

const TRANSLATION = 'locale subject body author{name} createdAt updatedAt unusedParams';
const PUT = `mutation($id:ID!,$locale:String!,$input:TemplateTranslationInput!){putTemplateTranslation(templateId:$id,locale:$locale,input:$input){${TRANSLATION}}}`;
const REMOVE = `mutation($id:ID!,$locale:String!){deleteTemplateTranslation(templateId:$id,locale:$locale){${TRANSLATION}}}`;
const FIND = `query($ids:[String]){templates(filter:{ids:$ids},limit:10){items{id locale version translations{${TRANSLATION}}}}}`;
const RENDER = 'query($input:RenderingInput!){render(input:$input){subject body locale missingParams}}';
const PREVIEW = 'query($input:PreviewInput!){preview(input:$input){body locale}}';
const CREATE_PARTIAL = 'mutation($input:CreatePartialInput!){createPartial(input:$input){id name}}';
const UPDATE_PARTIAL = 'mutation($id:ID!,$input:UpdatePartialInput!){updatePartial(id:$id,input:$input){id}}';

describe('templates in several languages', () => {
  let at: Rendering;
  beforeAll(async () => (at = await Rendering.start()));
  afterAll(() => at.stop());

  const put = async (id: string, locale: string, input: object, api: Api = at.api) =>
    (await api.ask(PUT, { id, locale, input: { body: 'b', ...input } })).putTemplateTranslation;
  const refusedPut = (id: string, locale: string, input: object = {}) =>
    at.api.refusal(PUT, { id, locale, input: { body: 'b', ...input } });
  const render = async (templateName: string, locale?: string, params: object = {}) =>
    (await at.api.ask(RENDER, { input: { templateName, locale, params: JSON.stringify(params) } })).render;
  const find = async (id: string) => (await at.api.ask(FIND, { ids: [id] })).templates.items[0];

  it('render the most specific translation of the locale, else the template itself, and report which', async () => {
    const { id, name } = await at.create({ body: 'en' });
    await put(id, 'de', { body: 'de {{ n | number }}' });
    await put(id, 'DE-ch', { body: 'de-CH' });
    await put(id, 'zh-Hant', { body: 'zh-Hant' });
    const taken = async (locale?: string) => {
      const { body, locale: found } = await render(name, locale, { n: 1234.5 });
      return `${body} (${found})`;
    };
    expect(await taken()).toBe('en (en)');
    expect(await taken('de')).toBe('de 1.234,5 (de)');
    expect(await taken('de-AT')).toBe('de 1\u00a0234,5 (de)');
    expect(await taken('de-CH')).toBe('de-CH (de-CH)');
    expect(await taken('de-CH-u-nu-arab')).toBe('de-CH (de-CH)');
    expect(await taken('zh-Hant-TW')).toBe('zh-Hant (zh-Hant)');
    expect(await taken('zh')).toBe('en (en)');
    expect(await taken('fr')).toBe('en (en)');
    expect(await taken('en-GB')).toBe('en (en)');
  });

  it('use the language of the template if a rendering names none, and English patterns if the template names none', async () => {
    const body = '{{ d | date("d MMMM yyyy") }} {{ n | number("#,##0.00") }}';
    const params = { d: '2026-10-05', n: 1234.5 };
    const { name } = await at.create({ body, locale: 'de' });
    expect(await render(name, undefined, params)).toMatchObject({ body: '5 Oktober 2026 1.234,50', locale: 'de' });
    expect(await render(name, 'fr', params)).toMatchObject({ body: '5 octobre 2026 1\u202f234,50', locale: 'de' });
    const none = await at.create({ body });
    expect(await render(none.name, undefined, params)).toMatchObject({ body: '5 October 2026 1,234.50', locale: 'en' });
  });

  it('have subjects of their own, or that of the template', async () => {
    const { id, name } = await at.create({ type: 'email', subject: 'Hello {{ n }}', body: 'x' });
    await put(id, 'de', { subject: 'Hallo {{ n }}', body: 'y' });
    await put(id, 'fr', { body: 'z' });
    expect(await render(name, 'de', { n: 1 })).toMatchObject({ subject: 'Hallo 1', body: 'y' });
    expect(await render(name, 'fr', { n: 1 })).toMatchObject({ subject: 'Hello 1', body: 'z' });
  });

  it('list their translations, with the parameters that these do not read', async () => {
    const { id } = await at.create({ body: '{{ a }}{{ b.c }}{{ d }}' });
    await put(id, 'fr', { body: '{{ a }}{{ other }}', author: { name: 'Zoé' } });
    await put(id, 'de', { body: '{{ a }}{{ b.c }}{{ d }}' });
    const { translations, locale } = await find(id);
    expect(locale).toBe('en');
    expect(translations).toMatchObject([
      { locale: 'de', unusedParams: [], author: null },
      { locale: 'fr', body: '{{ a }}{{ other }}', unusedParams: ['b.c', 'd'], author: { name: 'Zoé' } },
    ]);
    await at.update(id, { body: '{{ new }}' });
    expect((await find(id)).translations[0].unusedParams).toEqual(['new']);
  });

  it('replace a translation unless it was changed after the time that the caller read', async () => {
    const { id } = await at.create();
    const first = await put(id, 'de', { body: 'one' });
    const second = await put(id, 'de', { body: 'two', changedAfter: first.updatedAt });
    expect(second).toMatchObject({ body: 'two', createdAt: first.createdAt });
    const late = await refusedPut(id, 'de', { body: 'three', changedAfter: new Date(Date.parse(second.updatedAt) - 1) });
    expect(late).toMatchObject({ code: 'CONFLICT', field: 'input.changedAfter' });
    expect((await find(id)).translations[0].body).toBe('two');
  });

  it('show a change at once, including a deletion', async () => {
    const { id, name } = await at.create({ body: 'en' });
    await put(id, 'de', { body: 'one' });
    expect((await render(name, 'de')).body).toBe('one');
    await put(id, 'de', { body: 'two' });
    expect((await render(name, 'de')).body).toBe('two');
    expect((await at.api.ask(REMOVE, { id, locale: 'de' })).deleteTemplateTranslation.body).toBe('two');
    expect((await render(name, 'de')).body).toBe('en');
    expect(await at.api.refusal(REMOVE, { id, locale: 'de' })).toMatchObject({ code: 'NOT_FOUND' });
    expect((await find(id)).version).toBe(4);
  });

  it('write a layout in the language of its content', async () => {
    const layout = await at.create({ body: 'en[{% block content %}{% endblock %}]' });
    await put(layout.id, 'de', { body: 'de[{% block content %}{% endblock %}]' });
    await put(layout.id, 'fr', { body: 'fr[{% block content %}{% endblock %}]' });
    const { id, name } = await at.create({ body: 'english', locale: 'en', layoutId: layout.id });
    await put(id, 'de-CH', { body: 'deutsch' });
    expect((await render(name, 'de-CH')).body).toBe('de[deutsch]');
    expect((await render(name, 'fr')).body).toBe('en[english]');
    const neutral = await at.create({ body: '{{ x }}', layoutId: layout.id });
    expect((await render(neutral.name, 'fr', { x: 1 })).body).toBe('fr[1]');
    await put(layout.id, 'fr', { body: 'FR[{% block content %}{% endblock %}]' });
    expect((await render(neutral.name, 'fr', { x: 1 })).body).toBe('FR[1]');
    const template = { type: 'document', contentType: 'html', body: 'unsaved', layoutId: layout.id };
    const input = { template, params: '{}', locale: 'de-AT' };
    expect((await at.api.ask(PREVIEW, { input })).preview.body).toBe('de[unsaved]');
  });

  it('refuse a change that would break one language, and name it', async () => {
    const partial = (await at.api.ask(CREATE_PARTIAL, { input: { name: 'of one language', contentType: 'html', body: 'fine' } }))
      .createPartial;
    const layout = await at.create({ body: '{% block content %}{% endblock %}' });
    const { id, name } = await at.create({ body: 'en', layoutId: layout.id });
    await put(id, 'de', { body: `<p title="{% include "${partial.name}" %}">` });
    const broken = await at.api.refusal(UPDATE_PARTIAL, { id: partial.id, input: { body: '"><script>{{ x }}' } });
    expect(broken).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.body' });
    expect(broken.message).toContain(`the translation de of the template "${name}" could no longer be rendered`);
    const hollow = await refusedPut(layout.id, 'de', { body: 'no block' });
    expect(hollow).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(hollow.message).toContain(`the translation de of the template "${name}" could no longer be rendered`);
    const plain = await at.refusedUpdate(id, { body: 'en', contentType: 'plain', layoutId: null });
    expect(plain.message).toMatch(/^input: the translation de could no longer be rendered: .*no plain partial is named/);
    const wrong = await refusedPut(id, 'fr', { body: '{{ x' });
    expect(wrong.message).toMatch(/^input.body: line 1, column /);
    expect((await render(name, 'de')).body).toBe('<p title="fine">');
    const used = await at.api.refusal('mutation($id:ID!){deletePartial(id:$id){id}}', { id: partial.id });
    expect(used).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(`the template "${name}"`) });
  });

  it('free a partial that only a translation included, once that is changed, deleted or restored', async () => {
    const remove = 'mutation($id:ID!){deletePartial(id:$id){id}}';
    const away: ((id: string) => Promise<unknown>)[] = [
      (id) => at.api.ask(REMOVE, { id, locale: 'de' }),
      (id) => put(id, 'de', { body: 'none' }),
      (id) => at.api.ask('mutation($id:ID!){restoreTemplateVersion(id:$id,version:1){id}}', { id }),
    ];
    for (const [index, change] of away.entries()) {
      const input = { name: `only of a translation ${index}`, contentType: 'html', body: 'P' };
      const partial = (await at.api.ask(CREATE_PARTIAL, { input })).createPartial;
      const { id } = await at.create();
      await put(id, 'de', { body: `{% include "${partial.name}" %}` });
      expect(await at.api.refusal(remove, { id: partial.id })).toMatchObject({ code: 'CONFLICT' });
      await change(id);
      const { templates } = await at.api.ask('query($id:ID){templates(filter:{partId:$id}){items{id}}}', { id: partial.id });
      expect(templates.items).toEqual([]);
      expect((await at.api.ask(remove, { id: partial.id })).deletePartial.id).toBe(partial.id);
    }
  });

  it('list in templateParams the parameters of a translation, its subject and its layout', async () => {
    const layout = await at.create({ type: 'email', subject: 's', body: '{% block content %}{% endblock %}' });
    await put(layout.id, 'fr', { body: '{{ ofLayout }}{% block content %}{% endblock %}' });
    const { id, name } = await at.create({ type: 'email', subject: '{{ a }}', body: '{{ b }}', layoutId: layout.id });
    const params = async () =>
      (await at.api.ask('query($name:String!){templateParams(templateName:$name)}', { name })).templateParams;
    expect(await params()).toEqual(['a', 'b', 'ofLayout']);
    await put(id, 'fr', { subject: '{{ d }}', body: '{{ b }}{{ c }}' });
    expect(await params()).toEqual(['a', 'b', 'c', 'd', 'ofLayout']);
  });

  it('refuse an unknown language, the language of the template itself, and too many', async () => {
    const { id } = await at.create({ body: 'x', locale: 'de' });
    for (const locale of ['', 'xx-no-such', 'de_DE', 'tlh-Latn', `de-${'x'.repeat(200)}`]) {
      expect(await refusedPut(id, locale)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'locale' });
    }
    expect(await refusedPut(id, 'de')).toMatchObject({ code: 'BAD_USER_INPUT', field: 'locale' });
    expect(await refusedPut(id, 'fr', { subject: 's' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.subject' });
    expect(await refusedPut(UNKNOWN, 'fr')).toMatchObject({ code: 'NOT_FOUND' });
    const other = await at.another();
    expect(await other.api.refusal(PUT, { id, locale: 'fr', input: { body: 'b' } })).toMatchObject({ code: 'NOT_FOUND' });
    await put(id, 'fr', {});
    expect(await at.refusedUpdate(id, { locale: 'fr' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.locale' });
    const large = 'x'.repeat(1_048_576);
    for (const locale of ['it', 'es', 'pt']) await put(id, locale, { body: large });
    expect(await refusedPut(id, 'nl', { body: large })).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('have at most 50 translations', async () => {
    const { id } = await at.create();
    const tags = ['de', 'fr', 'it', 'es', 'pt', 'nl', 'da', 'sv', 'nb', 'fi'];
    const regions = ['DE', 'FR', 'IT', 'ES', 'PT'];
    for (const tag of tags.flatMap((language) => regions.map((region) => `${language}-${region}`))) await put(id, tag, {});
    expect(await refusedPut(id, 'ja')).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('50') });
    await put(id, 'de-DE', { body: 'again' });
  });

  it('determine the language and its direction', async () => {
    const { id, name } = await at.create({ body: '<html lang="{{ "x" | lang }}" dir="{{ "ltr" | dir }}">' });
    expect((await render(name)).body).toBe('<html lang="x" dir="ltr">');
    expect((await render(name, 'he')).body).toBe('<html lang="he" dir="rtl">');
    await put(id, 'ar', { body: '<html dir="{{ "ltr" | dir }}">' });
    expect((await render(name, 'ar-EG')).body).toBe('<html dir="rtl">');
    const german = await at.create({ body: '{{ "x" | lang }} {{ "" | dir }}', locale: 'de-CH' });
    expect((await render(german.name, 'he')).body).toBe('de-CH ltr');
  });
});
