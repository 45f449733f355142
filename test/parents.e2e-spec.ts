import { randomUUID } from 'node:crypto';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Family, type Member } from './support/family.js';
import { TestServer } from './support/server.js';
import { recordStatements } from './support/statements.js';
import { until } from './support/websockets.js';

const CREATE = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id inherited}}';
const UPDATE = 'mutation($id:ID!,$input:UpdateTemplateInput!){updateTemplate(id:$id,input:$input){id}}';
const PARTIAL = 'mutation($input:CreatePartialInput!){createPartial(input:$input){id inherited}}';
const CSS = 'mutation($input:CreateCssInput!){createCss(input:$input){id inherited}}';
const RENDER = 'query($input:RenderingInput!){render(input:$input){body}}';
const LIST = `query($filter:TemplatesFilter,$order:TemplatesOrder,$limit:Int,$nextToken:String){
  templates(filter:$filter,order:$order,limit:$limit,nextToken:$nextToken){
    items{id name inherited author{name} parentCss{id inherited author{name}} translations{locale body author{name} unusedParams}} nextToken}}`;
const LOGS = `query($id:String){logs(filter:{documentId:$id}){items{action attribute{id} attributeOldValue{raw} attributeNewValue{raw}}}}`;
const author = { id: 'u1', name: 'Ann of the parent', email: 'ann@parent.example' };
const document = (name: string, body: string, more: object = {}) => ({
  name,
  type: 'document',
  contentType: 'html',
  body,
  ...more,
});
const READ_ONLY = {
  code: 'FAILED_PRECONDITION',
  message: /is inherited from the parent tenant, which alone can change it; create one of the same name/,
};

let server: TestServer;
let family: Family;
let parent: Member;
let child: Member;
let sibling: Member;
let [up, own, other] = [] as unknown as [Api, Api, Api];
beforeAll(async () => {
  server = await TestServer.start({ TENANT_DELETION_QUIET_SECONDS: '10' });
  family = await Family.of(server);
  parent = await family.tenant();
  [child, sibling] = [await family.childOf(parent), await family.childOf(parent)];
  [up, own, other] = (await Promise.all([parent, child, sibling].map((one) => one.as('document-rendering')))) as [Api, Api, Api];
});
afterAll(() => server.stop());

const create = async (api: Api, name: string, body: string, more: object = {}): Promise<string> =>
  (await api.ask(CREATE, { input: document(name, body, more) })).createTemplate.id;
const partial = async (api: Api, name: string, body: string): Promise<string> =>
  (await api.ask(PARTIAL, { input: { name, contentType: 'html', body, author } })).createPartial.id;
const render = async (api: Api, templateName: string, more: object = {}) =>
  (await api.ask(RENDER, { input: { templateName, params: '{"a":"x"}', ...more } })).render.body;
const list = async (api: Api, variables: Record<string, unknown> = {}) => (await api.ask(LIST, variables)).templates;
const refusal = async (api: Api, query: string, variables: object) => {
  const { code, message } = await api.refusal(query, variables as Record<string, unknown>);
  return { code, message };
};
const expectRefusal = async (
  answer: Promise<{ code: string; message: string }>,
  { code, message }: { code: string; message: RegExp },
) => {
  const refused = await answer;
  expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
};

describe('a parent of tenants', () => {
  const SET = 'mutation($id:ID!,$parentId:ID){setTenantParent(id:$id,parentId:$parentId){parentId}}';
  const MAKE = 'mutation($input:CreateTenantInput!){createTenant(input:$input){id parentId}}';
  const DELETE = 'mutation($id:ID!,$name:String!){deleteTenant(id:$id,name:$name){state parentId}}';
  const fresh = async (parentId?: string) => {
    const name = `t-${randomUUID()}`;
    return { name, ...(await family.admin.ask(MAKE, { input: { name, parentId } })).createTenant } as {
      id: string;
      name: string;
      parentId: string | null;
    };
  };
  const set = (id: string, parentId: string | null) => refusal(family.admin, SET, { id, parentId });

  it('is set at creation or later, removed, and recorded in the audit log with before and after', async () => {
    const top = await fresh();
    const made = await fresh(top.id);
    expect(made.parentId).toBe(top.id);
    expect((await family.admin.ask(SET, { id: made.id, parentId: null })).setTenantParent).toEqual({ parentId: null });
    expect((await family.admin.ask(SET, { id: made.id, parentId: top.id })).setTenantParent).toEqual({ parentId: top.id });
    const shown = 'query($a:ID!,$b:ID!){a:tenant(id:$a){parentId children} b:tenant(id:$b){parentId children}}';
    expect(await family.admin.ask(shown, { a: made.id, b: top.id })).toEqual({
      a: { parentId: top.id, children: 0 },
      b: { parentId: null, children: 1 },
    });
    const log = new Api(server.address, 'document-log', await server.createKey('document-log-api:query:*', 'platform-admin'));
    const { items } = (await log.ask(LOGS, { id: made.id })).logs;
    const changes = items.filter((item: any) => item.attribute.id === 'parentId').map((item: any) => [item.action, item.attributeOldValue?.raw ?? null, item.attributeNewValue?.raw ?? null]); // prettier-ignore
    expect(changes.toSorted()).toEqual(
      [
        ['createTenant', null, top.id],
        ['setTenantParent', top.id, null],
        ['setTenantParent', null, top.id],
      ].toSorted(),
    );
  });

  it('is refused beyond one level, as itself, unknown, or while it is being deleted', async () => {
    const [top, made, gone] = [await fresh(), await fresh(), await fresh()];
    await family.admin.ask(SET, { id: made.id, parentId: top.id });
    await family.admin.ask(DELETE, { id: gone.id, name: gone.name });
    const level = { code: 'FAILED_PRECONDITION', message: /there is one level only/ };
    const another = await fresh();
    await expectRefusal(set(another.id, made.id), level);
    await expectRefusal(set(top.id, another.id), level);
    await expectRefusal(set(top.id, top.id), { code: 'BAD_USER_INPUT', message: /parentId: must be another tenant/ });
    await expectRefusal(set(top.id, randomUUID()), { code: 'NOT_FOUND', message: /parentId: Tenant .* does not exist/ });
    await expectRefusal(set(another.id, gone.id), { code: 'FAILED_PRECONDITION', message: /is being deleted/ });
    await expectRefusal(refusal(family.admin, MAKE, { input: { name: `t-${randomUUID()}`, parentId: made.id } }), {
      code: 'FAILED_PRECONDITION',
      message: /input\.parentId: /,
    });
  });

  it('stays at one level when many changes are made at once', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => fresh()));
    const pairs = tenants.flatMap((one) => tenants.flatMap((another) => (one === another ? [] : [[one.id, another.id]])));
    await Promise.all(pairs.map(([id, parentId]) => family.admin.send(SET, { id, parentId })));
    const { tenant } = allRowsOf('all of them at one moment', server);
    const rows = await tenant.findMany({ where: { id: { in: tenants.map(({ id }) => id) } } });
    const parents = new Map(rows.map((row) => [row.id, row.parentId]));
    expect(rows.filter(({ parentId }) => parentId !== null && parents.get(parentId) !== null)).toEqual([]);
    expect(rows.some(({ parentId }) => parentId !== null)).toBe(true);
  });

  it('with children is not deleted, and is once they are', async () => {
    const top = await fresh();
    const made = await fresh(top.id);
    await expectRefusal(refusal(family.admin, DELETE, { id: top.id, name: top.name }), {
      code: 'FAILED_PRECONDITION',
      message: /is the parent of 1 tenant; delete those first, or give them no parent/,
    });
    expect((await family.admin.ask(DELETE, { id: made.id, name: made.name })).deleteTenant).toEqual({
      state: 'DELETING',
      parentId: null,
    });
    expect((await family.admin.ask(DELETE, { id: top.id, name: top.name })).deleteTenant.state).toBe('DELETING');
    await until(async () => (await family.admin.ask('query($id:ID!){tenant(id:$id){id}}', { id: top.id })).tenant === null);
  });

  it('that is suspended continues to be read by its children', async () => {
    const top = await family.tenant();
    const below = await family.childOf(top);
    await create(await top.as('document-rendering'), 'greeting', 'hello');
    await family.admin.ask('mutation($id:ID!){suspendTenant(id:$id){state}}', { id: top.id });
    const isRefused = async () => (await (await top.as('document-rendering')).send('{version}')).errors !== undefined;
    await until(isRefused);
    expect(await render(await below.as('document-rendering'), 'greeting')).toBe('hello');
  });
});

describe('an inherited template', () => {
  it('is rendered, listed and described, and shows a change with the next rendering', async () => {
    const name = `a-${randomUUID()}`;
    const id = await create(up, name, '<p>{{ a }}</p>', { author });
    await up.ask(
      'mutation($id:ID!){putTemplateTranslation(templateId:$id,locale:"de",input:{body:"de",author:{name:"Ann"}}){locale}}',
      { id },
    );
    expect(await render(own, name)).toBe('<p>x</p>');
    expect(await render(own, name, { locale: 'de' })).toBe('de');
    expect((await own.ask('query($n:String!){templateParams(templateName:$n)}', { n: name })).templateParams).toEqual(['a']);
    const { items } = await list(own, { filter: { name } });
    const translations = [{ locale: 'de', body: 'de', author: null, unusedParams: ['a'] }];
    expect(items).toEqual([{ id, name, inherited: true, author: null, parentCss: null, translations }]);
    await up.ask(UPDATE, { id, input: { body: 'changed', contentType: 'html' } });
    expect(await render(own, name)).toBe('changed');
    expect(await render(own, name, { version: 1 })).toBe('<p>x</p>');
    const versions = await own.ask('query($n:String!){templateVersions(name:$n){items{version author{name}}}}', { n: name });
    expect(versions.templateVersions.items.map((item: any) => item.author)).toEqual([null, null, null]);
    await up.ask('mutation($id:ID!){deleteTemplate(id:$id){id}}', { id });
    expect((await own.refusal(RENDER, { input: { templateName: name, params: '{}' } })).code).toBe('NOT_FOUND');
  });

  it('takes one statement to render again, as one of a tenant without a parent, which no list takes more for either', async () => {
    const alone = await (await family.tenant()).as('document-rendering');
    const name = `s-${randomUUID()}`;
    for (const api of [up, alone]) await create(api, name, 'b');
    const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
      await work();
      const { texts, stop } = recordStatements();
      await work();
      stop();
      return texts.filter((text) => /FROM\s+(\S+\.)?["`](Template|Css|TemplatePartial|PartsRevision|EmailDomain)["`]/.test(text));
    };
    const [ofChild, ofAlone] = [await statementsOf(() => render(own, name)), await statementsOf(() => render(alone, name))];
    expect([ofChild.length, ofAlone.length]).toEqual([1, 1]);
    const domains = await server.api('email', alone.key);
    const lists: [Api, string][] = [
      [alone, '{css{items{id}}}'],
      [alone, '{partials{items{id}}}'],
      [domains, '{emailDomains{items{domain}}}'],
    ];
    for (const [api, query] of lists) expect(await statementsOf(() => api.ask(query))).toHaveLength(1);
  });

  it('is replaced by one of the same name of its own, for this child only, and returns without it', async () => {
    const name = `b-${randomUUID()}`;
    await create(up, name, 'of the parent');
    const id = await create(own, name, 'its own');
    expect(await render(own, name)).toBe('its own');
    expect(await render(other, name)).toBe('of the parent');
    expect(await render(up, name)).toBe('of the parent');
    expect((await list(own, { filter: { name } })).items).toMatchObject([{ id, inherited: false }]);
    await own.ask('mutation($id:ID!){deleteTemplate(id:$id){id}}', { id });
    expect(await render(own, name)).toBe('of the parent');
  });

  it('cannot be changed, translated, restored or deleted by a child', async () => {
    const id = await create(up, `c-${randomUUID()}`, 'b');
    for (const [query, more] of [
      [UPDATE, { input: { body: 'x', contentType: 'html' } }],
      ['mutation($id:ID!){deleteTemplate(id:$id){id}}', {}],
      ['mutation($id:ID!){putTemplateTranslation(templateId:$id,locale:"de",input:{body:"x"}){locale}}', {}],
      ['mutation($id:ID!){deleteTemplateTranslation(templateId:$id,locale:"de"){locale}}', {}],
      ['mutation($id:ID!){restoreTemplateVersion(id:$id,version:1){id}}', {}],
    ] as const) {
      await expectRefusal(refusal(own, query, { id, ...more }), READ_ONLY);
    }
    const css = (await up.ask(CSS, { input: { name: 'c', text: 'a{}' } })).createCss.id;
    await expectRefusal(refusal(own, 'mutation($id:ID!){updateCss(id:$id,input:{text:"b{}"}){id}}', { id: css }), READ_ONLY);
    await expectRefusal(refusal(own, 'mutation($id:ID!){deleteCss(id:$id){id}}', { id: css }), READ_ONLY);
    const part = await partial(up, `c${randomUUID()}`, 'b');
    await expectRefusal(refusal(own, 'mutation($id:ID!){updatePartial(id:$id,input:{body:"x"}){id}}', { id: part }), READ_ONLY);
    await expectRefusal(refusal(own, 'mutation($id:ID!){deletePartial(id:$id){id}}', { id: part }), READ_ONLY);
  });

  it('is composed of the parts of its owner, whatever a child names the same', async () => {
    const [name, footer] = [`d-${randomUUID()}`, `footer${randomUUID()}`];
    await partial(up, footer, 'parent');
    await create(up, name, `{% include "${footer}" %}`);
    await partial(own, footer, 'child');
    expect([await render(own, name), await render(up, name)]).toEqual(['parent', 'parent']);
  });
});

describe('a template of a child', () => {
  it('includes partials of its own first, then those of the parent, and follows the changes of both', async () => {
    const [name, footer] = [`e-${randomUUID()}`, `foot${randomUUID()}`];
    const ofParent = await partial(up, footer, 'parent');
    await create(own, name, `{% include "${footer}" %}`);
    expect(await render(own, name)).toBe('parent');
    await up.ask('mutation($id:ID!){updatePartial(id:$id,input:{body:"changed"}){id}}', { id: ofParent });
    expect(await render(own, name)).toBe('changed');
    const ofChild = await partial(own, footer, 'child');
    expect(await render(own, name)).toBe('child');
    await own.ask('mutation($id:ID!){deletePartial(id:$id){id}}', { id: ofChild });
    expect(await render(own, name)).toBe('changed');
    const { partials } = await own.ask('query($f:PartialsFilter){partials(filter:$f){items{id inherited author{name}}}}', {
      f: { name: footer },
    });
    expect(partials.items).toEqual([{ id: ofParent, inherited: true, author: null }]);
  });

  it('fills the blocks of a layout of the parent, and gets its stylesheets', async () => {
    const parentCssId = (await up.ask(CSS, { input: { name: 'l', text: 'h1{color:red}', author } })).createCss.id;
    const layout = `l-${randomUUID()}`;
    const layoutId = await create(up, layout, '<h1>{% block content %}{% endblock %}</h1>', { parentCssId });
    const name = `f-${randomUUID()}`;
    await create(own, name, 'own', { layoutId });
    expect(await render(own, name)).toContain('<h1>own</h1>');
    expect(await render(own, name)).toContain('color:red');
    await up.ask(UPDATE, { id: layoutId, input: { contentType: 'html', body: '<h2>{% block content %}{% endblock %}</h2>' } });
    expect(await render(own, name)).toContain('<h2>own</h2>');
    await up.ask('mutation($id:ID!){updateCss(id:$id,input:{text:"h2{color:blue}"}){id}}', { id: parentCssId });
    expect(await render(own, name)).toContain('color:blue');
    const [shown] = (await list(own, { filter: { name: layout } })).items;
    expect(shown.parentCss).toEqual({ id: parentCssId, inherited: true, author: null });
    expect((await own.refusal(CREATE, { input: document(`g-${randomUUID()}`, 'b', { parentCssId }) })).code).toBe(
      'FAILED_PRECONDITION',
    );
  });

  it('is unknown to the parent and to siblings', async () => {
    const name = `h-${randomUUID()}`;
    const id = await create(own, name, 'own');
    for (const api of [up, other]) {
      expect((await list(api, { filter: { name } })).items).toEqual([]);
      expect((await api.refusal(RENDER, { input: { templateName: name, params: '{}' } })).code).toBe('NOT_FOUND');
      expect((await api.refusal(UPDATE, { id, input: { body: 'x', contentType: 'html' } })).code).toBe('NOT_FOUND');
    }
  });
});

describe('a list of a child', () => {
  it('merges its own and the inherited ones in each order and in pages of any size, each once', async () => {
    const top = await family.tenant();
    const below = await family.childOf(top);
    const [ofTop, ofBelow] = [await top.as('document-rendering'), await below.as('document-rendering')];
    const names = Array.from({ length: 24 }, (_, at) => `${['é', 'a', '\u{1F600}', '\uFFFD', 'Z', '_'][at % 6]}${at % 7} ${at}`);
    for (const [at, name] of names.entries()) {
      if (at % 3 !== 0) await create(ofTop, name, 'top');
      if (at % 3 !== 1) await create(ofBelow, name, 'below');
      await partial(at % 2 ? ofTop : ofBelow, `p${at}`, 'b');
      await (at % 2 ? ofTop : ofBelow).ask(CSS, { input: { name: `s${at}`, text: '' } });
    }
    const walk = async (query: string, field: string, variables: object, limit: number) => {
      const found: any[] = [];
      for (let nextToken: string | null = null; ;) {
        const page: any = (await ofBelow.ask(query, { ...variables, limit, nextToken }))[field];
        found.push(...page.items);
        nextToken = page.nextToken;
        if (nextToken === null) return found;
      }
    };
    const bytes = (text: string) => Buffer.from(text).toString('hex');
    for (const order of ['OLDEST', 'NAME', 'RECENTLY_UPDATED']) {
      for (const limit of [1, 5, 1_000]) {
        const items = await walk(LIST, 'templates', { order }, limit);
        expect(items.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
        expect(items.filter(({ inherited }) => inherited).map(({ name }) => name).toSorted()).toEqual(names.filter((_, at) => at % 3 === 1).toSorted()); // prettier-ignore
        const ids = items.map(({ id }) => id);
        if (order === 'OLDEST') expect(ids).toEqual(ids.toSorted());
        if (order === 'RECENTLY_UPDATED') expect(ids).toEqual(ids.toSorted().toReversed());
        if (order === 'NAME')
          expect(items.map(({ name }) => bytes(name))).toEqual(items.map(({ name }) => bytes(name)).toSorted());
      }
    }
    const filtered = await list(ofBelow, { filter: { active: true, ids: (await list(ofBelow)).items.map(({ id }: any) => id) } });
    expect(filtered.items.length).toBe(names.length);
    for (const [query, field, more] of [
      [
        'query($limit:Int,$nextToken:String){partials(limit:$limit,nextToken:$nextToken){items{id inherited} nextToken}}',
        'partials',
        0,
      ],
      ['query($limit:Int,$nextToken:String){css(limit:$limit,nextToken:$nextToken){items{id inherited} nextToken}}', 'css', 1],
    ] as const) {
      for (const limit of [1, 5, 1_000]) {
        const items = await walk(query, field, {}, limit);
        expect(items.length).toBe(names.length + more);
        expect(items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).toSorted());
        expect(items.filter(({ inherited }) => inherited).length).toBe(names.length / 2 + more);
      }
    }
  });
});
