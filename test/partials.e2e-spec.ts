import { jest } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
// Past the API: a caller who leaves between two checks.
import { TemplateEngine } from '../src/modules/document-rendering/engine/template-engine.js';
import { PartChangesService } from '../src/modules/document-rendering/templates/part-changes.service.js';
import { Api } from './support/api.js';
import { Rendering } from './support/rendering.js';

const FIELDS = 'id name contentType body author{name} createdAt updatedAt';
const CREATE = `mutation($input:CreatePartialInput!){createPartial(input:$input){${FIELDS}}}`;
const UPDATE = `mutation($id:ID!,$input:UpdatePartialInput!){updatePartial(id:$id,input:$input){${FIELDS}}}`;
const DELETE = `mutation($id:ID!){deletePartial(id:$id){${FIELDS}}}`;
const PAGE = `query($filter:PartialsFilter,$limit:Int,$nextToken:String){partials(filter:$filter,limit:$limit,nextToken:$nextToken){items{${FIELDS}} nextToken}}`;
const RENDER =
  'query($input:RenderingInput!){render(input:$input){body missingParams warnings{path field partialName layoutName line column}}}';
const PREVIEW = 'query($input:PreviewInput!){preview(input:$input){body warnings{partialName layoutName line}}}';
const PARAMS = 'query($name:String!){templateParams(templateName:$name)}';

describe('layouts and partials', () => {
  let at: Rendering;
  let serial = 0;
  const named = (what: string) => `${what} ${serial++}`;
  const partial = async (given: object = {}, api: Api = at.api) =>
    (await api.ask(CREATE, { input: { name: named('partial'), contentType: 'html', body: 'b', ...given } })).createPartial;
  const refusedPartial = (given: object) =>
    at.api.refusal(CREATE, { input: { name: named('partial'), contentType: 'html', body: 'b', ...given } });
  const update = async (id: string, body: string) => (await at.api.ask(UPDATE, { id, input: { body } })).updatePartial;
  const render = async (templateName: string, params: object = {}) =>
    (await at.api.ask(RENDER, { input: { templateName, params: JSON.stringify(params) } })).render;
  const bodyOf = async (templateName: string, params: object = {}) => (await render(templateName, params)).body;
  const preview = async (template: object, more: object = {}) =>
    (await at.api.ask(PREVIEW, { input: { template: { type: 'document', contentType: 'html', ...template }, params: '{"x":"<"}', ...more } })).preview; // prettier-ignore

  beforeAll(async () => (at = await Rendering.start()));
  afterAll(() => at.stop());

  it('are not checked further once the caller of the change has left, which is then discarded', async () => {
    const one = await partial({ body: 'one' });
    for (let made = 0; made < 30; made++) await at.create({ body: `{% include "${one.name}" %}` });
    const engine = at.server.app.get(TemplateEngine, { strict: false });
    const check = engine.check.bind(engine);
    const [make, leaving] = [jest.spyOn(at.server.app.get(PartChangesService, { strict: false }), 'make'), new AbortController()];
    let socket!: Socket;
    at.server.app.getHttpServer().once('request', (request: { socket: Socket }) => ({ socket } = request));
    let checks = 0;
    const spy = jest.spyOn(engine, 'check').mockImplementation(async (...given) => {
      if (++checks === 5) {
        leaving.abort();
        if (!socket.destroyed) await once(socket, 'close');
      }
      return check(...given);
    });
    const body = JSON.stringify({ query: UPDATE, variables: { id: one.id, input: { body: 'two' } } });
    const headers = { 'x-api-key': at.api.key!, 'content-type': 'application/json', connection: 'close' };
    const url = `${at.server.address}/document-rendering/graphql`;
    await expect(fetch(url, { method: 'POST', headers, body, signal: leaving.signal })).rejects.toThrow();
    await Promise.allSettled([make.mock.results[0]!.value]);
    for (const each of [make, spy]) each.mockRestore();
    expect(checks).toBe(5);
    expect((await at.api.ask(PAGE, { filter: { ids: [one.id] } })).partials.items[0].body).toBe('one');
  });

  it('render the current partial, on every node, escaped for the place where it is included', async () => {
    const one = await partial({ body: '<b>{{ x }}</b>' });
    const { name } = await at.create({ body: `<p>{% include "${one.name}" %}</p>` });
    expect(await bodyOf(name, { x: '<' })).toBe('<p><b>&lt;</b></p>');
    await update(one.id, '<i>{{ x }}{{ y }}</i>');
    expect(await bodyOf(name, { x: '<', y: 2 })).toBe('<p><i>&lt;2</i></p>');
    expect((await at.api.ask(PARAMS, { name })).templateParams).toEqual(['x', 'y']);
    const address = await partial({ body: '{{ u }}' });
    const link = await at.create({ body: `<a href="{% include "${address.name}" %}">` });
    const { body, warnings } = await render(link.name, { u: 'javascript:run()' });
    expect(body).toBe('<a href="#">');
    expect(warnings).toEqual([{ path: 'u', field: 'body', partialName: address.name, layoutName: null, line: 1, column: 4 }]);
  });

  it('show a change of a partial in another partial, of a layout, of its layout, and of the stylesheet of a layout', async () => {
    const inner = await partial({ body: 'one' });
    const outer = await partial({ body: `[{% include "${inner.name}" %}]` });
    const css = await at.createCss({ text: 'p{color:red}' });
    const top = await at.create({
      body: `<head></head>T{% block content %}{% endblock %}{% include "${outer.name}" %}`,
      parentCssId: css.id,
    });
    const middle = await at.create({ body: 'M{% block content %}{% endblock %}', layoutId: top.id });
    const { name } = await at.create({ body: 'leaf', layoutId: middle.id });
    expect(await bodyOf(name)).toMatch(/^<head>.*color:red.*<\/head>TMleaf\[one\]$/s);
    await update(inner.id, 'two');
    expect(await bodyOf(name)).toContain('TMleaf[two]');
    await at.update(middle.id, { body: 'N{% block content %}{% endblock %}' });
    expect(await bodyOf(name)).toContain('TNleaf[two]');
    await at.update(top.id, { body: `<head></head>U{% block content %}{% endblock %}{% include "${outer.name}" %}` });
    expect(await bodyOf(name)).toContain('UNleaf[two]');
    await at.api.ask('mutation($id:ID!){updateCss(id:$id,input:{text:"p{color:blue}"}){id}}', { id: css.id });
    expect(await bodyOf(name)).toContain('color:blue');
  });

  it('list the templates that use them, through other partials too', async () => {
    const inner = await partial();
    const outer = await partial({ body: `{% include "${inner.name}" %}` });
    const layout = await at.create({ body: `{% block content %}{% endblock %}{% include "${outer.name}" %}` });
    const page = await at.create({ body: 'x', layoutId: layout.id });
    const plain = await at.create({ body: `{% include "${inner.name}" %}` });
    const find =
      'query($partId:ID,$limit:Int,$nextToken:String){templates(filter:{partId:$partId},limit:$limit,nextToken:$nextToken){items{id} nextToken}}';
    const of = async (partId: string) => {
      const first = (await at.api.ask(find, { partId, limit: 1 })).templates;
      if (!first.nextToken) return first.items.map(({ id }: { id: string }) => id);
      const more = (await at.api.ask(find, { partId, nextToken: first.nextToken })).templates;
      return [...first.items, ...more.items].map(({ id }: { id: string }) => id);
    };
    expect(await of(inner.id)).toEqual([layout.id, page.id, plain.id]);
    expect(await of(outer.id)).toEqual([layout.id, page.id]);
    expect(await of(layout.id)).toEqual([page.id]);
    expect(await of(page.id)).toEqual([]);
  });

  it('fill blocks of a layout, and retain the default text of a block that nobody fills', async () => {
    const layout = await at.create({
      body: '<title>{% block title %}News{% endblock %}</title>{% block content %}{% endblock %}<i>{% block foot %}f{{ x }}{% endblock %}</i>',
    });
    const { name } = await at.create({ body: '{% block title %}{{ t }}{% endblock %}\nHello {{ x }}', layoutId: layout.id });
    expect(await bodyOf(name, { t: '<t>', x: 1 })).toBe('<title>&lt;t&gt;</title>Hello 1<i>f1</i>');
    expect(await bodyOf(layout.name, {})).toBe('<title>News</title><i>f</i>');
    expect((await render(layout.name)).missingParams).toEqual(['x']);
  });

  it('give a partial the members of an item as its names', async () => {
    const row = await partial({ body: '<li>{{ n }} of {{ total }}</li>' });
    const { name } = await at.create({ body: `{% for item in items %}{% include "${row.name}" with item %}{% endfor %}` });
    const { body, missingParams } = await render(name, { items: [{ n: 1, total: 2 }, { n: 2 }], total: 9 });
    expect(body).toBe('<li>1 of 2</li><li>2 of </li>');
    expect(missingParams).toEqual(['items[].total']);
  });

  it('preview unsaved partials in place of saved ones', async () => {
    const saved = await partial({ body: 'saved' });
    const template = { body: `{% include "${saved.name}" %}{% include "new one" %}` };
    const partials = [
      { name: saved.name, body: 'unsaved {{ x }} ' },
      { name: 'new one', body: '<a title="{{ x }}">' },
    ];
    expect((await preview(template, { partials })).body).toBe('unsaved &lt; <a title="&lt;">');
    const layout = await at.create({ body: '({% block content %}{% endblock %})' });
    expect((await preview({ body: 'p', layoutId: layout.id })).body).toBe('(p)');
  });

  it('refuse a change of a partial that would break a template, and name it', async () => {
    const one = await partial({ body: 'fine' });
    const layout = await at.create({ body: '{% block content %}{% endblock %}' });
    const user = await at.create({ body: `<p title="{% include "${one.name}" %}">`, layoutId: layout.id });
    const broken = await at.api.refusal(UPDATE, { id: one.id, input: { body: '"><script>{{ x }}' } });
    expect(broken).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.body' });
    expect(broken.message).toContain(
      `the template "${user.name}" could no longer be rendered: partial "${one.name}", line 1, column `,
    );
    const hollow = await at.refusedUpdate(layout.id, { body: 'nothing' });
    expect(hollow).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining(`the template "${user.name}"`) });
    const plain = await at.refusedUpdate(layout.id, { body: '{% block content %}{% endblock %}', contentType: 'plain' });
    expect(plain.code).toBe('BAD_USER_INPUT');
    expect(await bodyOf(user.name)).toBe('<p title="fine">');
  });

  it('cannot be deleted while others use them, and the error names these', async () => {
    const inner = await partial();
    const outer = await partial({ body: `{% include "${inner.name}" %}` });
    const layout = await at.create({ body: `{% block content %}{% endblock %}{% include "${inner.name}" %}` });
    const child = await at.create({ body: 'c', layoutId: layout.id });
    const used = await at.api.refusal(DELETE, { id: inner.id });
    expect(used).toMatchObject({ code: 'CONFLICT', field: 'id' });
    expect(used.message).toContain(`the partial "${outer.name}"`);
    expect(used.message).toContain(`the template "${layout.name}"`);
    const remove = 'mutation($id:ID!){deleteTemplate(id:$id){id}}';
    expect(await at.api.refusal(remove, { id: layout.id })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`the template "${child.name}"`),
    });
    await at.api.ask(remove, { id: child.id });
    await at.api.ask(remove, { id: layout.id });
    await at.api.ask(DELETE, { id: outer.id });
    expect((await at.api.ask(DELETE, { id: inner.id })).deletePartial).toEqual(inner);
    expect(await at.api.refusal(DELETE, { id: inner.id })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuse circles, too many levels, and unknown names, with line and column', async () => {
    const first = await partial({ body: 'a' });
    const second = await partial({ body: `\n{% include "${first.name}" %}` });
    const circle = await at.api.refusal(UPDATE, { id: first.id, input: { body: `{% include "${second.name}" %}` } });
    expect(circle).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/partial ".*", line 2, column \d+: .*include/),
    });
    let inner = first;
    for (let level = 1; level < 5; level++) inner = await partial({ body: `{% include "${inner.name}" %}` });
    expect((await at.refusedCreate({ body: `{% include "${(await partial({ body: `{% include "${inner.name}" %}` }).catch(() => inner)).name}" %}{% include "none" %}` })).code).toBe('BAD_USER_INPUT'); // prettier-ignore
    expect(await refusedPartial({ body: `{% include "${inner.name}" %}` })).toMatchObject({
      message: expect.stringMatching(/at most 5 levels/),
    });
    expect(await at.refusedCreate({ body: 'x\n {% include "no such" %}' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.body',
      message: expect.stringMatching(/line 2, column \d+: no html partial is named "no such"/),
    });
    const plain = await partial({ contentType: 'plain' });
    expect((await at.refusedCreate({ body: `{% include "${plain.name}" %}` })).message).toMatch(/no html partial/);
    const layout = await at.create({ body: '{% block content %}{% endblock %}' });
    expect(await at.refusedUpdate(layout.id, { body: 'b', layoutId: layout.id })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.layoutId' }); // prettier-ignore
    expect(await at.refusedCreate({ layoutId: '01a1fc71-ac8b-74ea-88bc-78167c5aaf33' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await at.refusedCreate({ layoutId: 'x' })).toMatchObject({ code: 'NOT_FOUND', field: 'input.layoutId' });
    const noLayout = await at.create({ body: 'no block' });
    expect(await at.refusedCreate({ layoutId: noLayout.id })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.layoutId' });
    expect((await at.refusedCreate({ layoutId: layout.id, type: 'email' })).message).toMatch(/must be of type email/);
  });

  it('have a unique name of few characters, and pages in the order of their creation', async () => {
    const other = await at.another();
    const made = [await partial({ name: 'p-1' }, other.api), await partial({ name: 'p/2' }, other.api)];
    expect(await other.api.refusal(CREATE, { input: { name: 'p-1', contentType: 'plain', body: '' } })).toMatchObject({
      code: 'CONFLICT',
      field: 'input.name',
    });
    for (const name of ['', 'a"b', "a'b", 'a\\b', ' a', 'x'.repeat(101), 'a\nb']) {
      expect(await refusedPartial({ name })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.name' });
    }
    const { items, nextToken } = (await other.api.ask(PAGE, { limit: 1 })).partials;
    expect(items).toEqual([made[0]]);
    expect((await other.api.ask(PAGE, { limit: 1, nextToken })).partials.items).toEqual([made[1]]);
    expect((await other.api.ask(PAGE, { filter: { name: 'p/2' } })).partials.items).toEqual([made[1]]);
    expect((await at.api.ask(PAGE, { filter: { ids: [made[0].id] } })).partials.items).toEqual([]);
  });

  it('refuse two unsaved partials of one name in a preview, by the field of the second', async () => {
    const partials = [{ name: 'p', body: 'one' }, null, { name: 'q', body: 'q' }, { name: 'p', body: 'two' }];
    const template = { type: 'document', contentType: 'html', body: '{% include "p" %}' };
    expect(await at.api.refusal(PREVIEW, { input: { template, partials, params: '{}' } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.partials.3.name',
    });
    expect((await preview(template, { partials: partials.slice(0, 3) })).body).toBe('one');
  });

  it('stop a composition that grows without bound, in little time', async () => {
    let inner = await partial({ body: 'x'.repeat(1_000) });
    inner = await partial({ body: `{% include "${inner.name}" %}`.repeat(100) });
    const grown = await refusedPartial({ body: `{% include "${inner.name}" %}`.repeat(100) });
    expect(grown).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringMatching(/2,097,152 characters/) });
  });

  it('stay valid however many change concurrently', async () => {
    const one = await partial({ body: 'a' });
    const template = await at.create({ body: 'b' });
    const quoted = { id: one.id, input: { body: '"' } };
    const uses = { id: template.id, input: { body: `<p title="{% include "${one.name}" %}">{{ x }}`, contentType: 'html' } };
    const both = 'mutation($id:ID!,$input:UpdateTemplateInput!){updateTemplate(id:$id,input:$input){id}}';
    for (let round = 0; round < 5; round++) {
      await at.api.ask(both, { id: template.id, input: { body: 'b', contentType: 'html' } });
      await update(one.id, 'a');
      await Promise.allSettled([at.api.ask(UPDATE, quoted), at.api.ask(both, uses)]);
      const { errors } = await at.api.send(RENDER, { input: { templateName: template.name, params: '{}' } });
      expect(errors).toBeUndefined();
    }
  });
});
