import { allRowsOf } from './support/behind-the-api.js';
import {
  AUTHOR_FAULTS,
  badInput,
  CREATE,
  DELETE,
  LONG_NAME,
  MIB,
  PAGE,
  refusalsOf,
  Rendering,
  STYLE_FAULTS,
  UNKNOWN,
  UPDATE,
  UPDATE_CSS,
  type Fault,
} from './support/rendering.js';

describe('templates', () => {
  let at: Rendering;
  let css: { id: string };
  beforeAll(async () => {
    at = await Rendering.start();
    css = await at.createCss({ text: 'a{}' });
  });
  afterAll(() => at.stop());

  it('are created with all given fields', async () => {
    const given = {
      name: 'Invoice ü {{7*7}} \'; DROP TABLE "Template"; --', type: 'email', subject: 'Your\ninvoice {{no}}', body: '<p>{{name}}</p>',
      contentType: 'html', comment: 'c', author: { id: '7', name: 'Ann', email: 'a@b', profile: 'p' }, css: 'b{}',
    }; // prettier-ignore
    const template = await at.create({ ...given, parentCssId: css.id });
    expect(template).toMatchObject({ ...given, active: true, parentCss: css, updatedAt: template.createdAt });
    expect(await at.find(template.id)).toEqual(template);
  });

  it('require only name, type, body and content type', async () => {
    const given = { name: LONG_NAME, type: 'document', body: '', contentType: 'plain' };
    const nothing = { subject: null, css: null, parentCss: null, comment: null, author: null };
    expect(await at.create(given)).toMatchObject({ ...given, ...nothing, active: true });
    expect(await at.create({ type: 'email', ...nothing, parentCss: undefined })).toMatchObject(nothing);
    expect(await at.create({ body: 'x'.repeat(MIB), css: 'x'.repeat(MIB) })).toMatchObject({ body: 'x'.repeat(MIB) });
  });

  it.each<Fault>([
    [{ name: '' }, 'input.name', /must not be empty/],
    [{ name: 'x'.repeat(1_025) }, 'input.name', /at most 1024/],
    [{ name: 'a\r\nb' }, 'input.name', /control characters/],
    [{ type: 'email', subject: 'x'.repeat(4_097) }, 'input.subject', /at most 4096/],
    [{ type: 'email', subject: '\0' }, 'input.subject', /NUL/],
    [{ subject: 's' }, 'input.subject', /document/],
    [{ subject: '' }, 'input.subject', /document/],
    [{ body: 'x'.repeat(MIB + 1) }, 'input.body', /at most 1048576/],
    [{ body: '\udc00' }, 'input.body', /lone surrogate/],
    [{ comment: 'x'.repeat(4_097) }, 'input.comment', /at most 4096/],
    [{ css: 'x'.repeat(MIB + 1) }, 'input.css', /at most 1048576/],
    [{ contentType: 'plain', css: 'a{}' }, 'input.css', /plain/],
    [{ contentType: 'plain', css: '' }, 'input.css', /plain/],
    [{ contentType: 'plain', parentCssId: UNKNOWN }, 'input.parentCssId', /plain/],
    [{ parentCssId: 'x'.repeat(1_025) }, 'input.parentCssId', /at most 1024/],
    ...STYLE_FAULTS.map((text): Fault => [{ css: text }, 'input.css', /<\/style/]),
    ...AUTHOR_FAULTS,
  ])('are neither created nor updated with %.100j', async (given, field, message) => {
    expect(await at.refusedCreate(given)).toMatchObject(badInput(field, message));
    const { type, ...update } = given as { type?: string };
    const before = await at.create({ type: type ?? 'document' });
    expect(await at.refusedUpdate(before.id, update)).toMatchObject(badInput(field, message));
    expect(await at.find(before.id)).toEqual(before);
  });

  it('retain what an update leaves out, clear what it sets to null, and replace the whole author', async () => {
    const all = { type: 'email', subject: 's', comment: 'c', css: 'b{}', author: { id: '1', name: 'n' } };
    const template = await at.create({ ...all, parentCssId: css.id });
    const same = { ...template, updatedAt: expect.any(String) };
    expect(await at.update(template.id)).toEqual(same);
    expect(await at.update(template.id, { name: template.name, body: 'new' })).toEqual({ ...same, body: 'new' });
    expect(await at.update(template.id, { author: { email: 'e' }, active: false })).toMatchObject({
      active: false, subject: 's', author: { id: null, name: null, email: 'e', profile: null },
    }); // prettier-ignore
    const nothing = { subject: null, comment: null, css: null, author: null };
    const last = await at.update(template.id, { ...nothing, parentCssId: null, name: 'renamed' });
    expect(last).toMatchObject({ ...nothing, name: 'renamed', parentCss: null, active: false, type: 'email' });
    expect(last.updatedAt >= template.updatedAt && last.createdAt === template.createdAt).toBe(true);
    expect(await at.find(template.id)).toEqual(last);
  });

  it.each([
    [{ name: null }, 'input.name', /required/],
    [{ active: null }, 'input.active', /true or false/],
  ])('require a value if an update says %j', async (given, field, message) => {
    const template = await at.create();
    expect(await at.refusedUpdate(template.id, given)).toMatchObject(badInput(field, message));
    expect(await at.find(template.id)).toEqual(template);
  });

  it.each(['name', 'type', 'body', 'contentType'])('refuse null for %s, as the schema says', async (field) => {
    expect((await at.refusedCreate({ [field]: null })).code).toBe('BAD_USER_INPUT');
  });

  it('become plain only when their stylesheets are removed', async () => {
    const { id } = await at.create({ css: 'b{}', parentCssId: css.id });
    const plain = { contentType: 'plain' };
    expect(await at.refusedUpdate(id, plain)).toMatchObject(
      badInput('input.contentType', /has css and parentCssId; set css and parentCssId to null/),
    );
    expect(await at.refusedUpdate(id, { ...plain, css: null })).toMatchObject(badInput('input.contentType', /has parentCssId;/));
    expect(await at.refusedUpdate(id, { ...plain, css: 'c{}', parentCssId: null })).toMatchObject(badInput('input.css'));
    expect(await at.update(id, { ...plain, css: null, parentCssId: null })).toMatchObject({
      ...plain,
      css: null,
      parentCss: null,
    });
    expect(await at.refusedUpdate(id, { ...plain, css: 'c{}' })).toMatchObject(badInput('input.css'));
    expect(await at.update(id, { css: 'c{}' })).toMatchObject({ contentType: 'html', css: 'c{}' });
  });

  it('have a unique name within the tenant, on creation and on rename', async () => {
    const { id, name } = await at.create();
    const other = await at.create();
    const conflict = { code: 'CONFLICT', field: 'input.name', message: expect.stringContaining(`"${name}"`) };
    expect(await at.refusedCreate({ name })).toMatchObject(conflict);
    expect(await at.refusedUpdate(other.id, { name })).toMatchObject(conflict);
    expect(await at.find(other.id)).toEqual(other);
    expect((await at.create({ name: name.toUpperCase() })).name).toBe(name.toUpperCase());
    expect((await (await at.another()).create({ name })).name).toBe(name);
    await at.api.ask(DELETE, { id });
    expect((await at.update(other.id, { name })).name).toBe(name);
  });

  it('get a name once, however many request it concurrently', async () => {
    const creates = Array.from({ length: 8 }, () => at.api.send(CREATE, { input: at.input({ name: 'wanted' }) }));
    expect(await refusalsOf(creates)).toEqual(Array(7).fill('CONFLICT'));
    const made = [await at.create(), await at.create(), await at.create()];
    const input = { name: 'wanted too', body: 'b', contentType: 'html' };
    expect(await refusalsOf(made.map(({ id }) => at.api.send(UPDATE, { id, input })))).toEqual(Array(2).fill('CONFLICT'));
    for (const name of ['wanted', 'wanted too'])
      expect((await at.api.ask(PAGE, { filter: { name } })).templates.items).toHaveLength(1);
  });

  it('are refused taken names, even when pairs swap concurrently', async () => {
    const rename = (id: string, name: string) => at.api.send(UPDATE, { id, input: { name, body: 'b', contentType: 'html' } });
    const pairs = await Promise.all(Array.from({ length: 60 }, () => Promise.all([at.create(), at.create()])));
    const swaps = pairs.flatMap(([a, b]) => [rename(a.id, b.name), rename(b.id, a.name)]);
    expect(await refusalsOf(swaps)).toEqual(Array(120).fill('CONFLICT'));
  });

  it('lose no update and obey their rules when they are changed concurrently', async () => {
    const { id } = await at.create({ type: 'email', contentType: 'plain', body: 'b' });
    const before = await revisionOf(id);
    const change = (given: object) => at.api.send(UPDATE, { id, input: { body: 'b', ...given } });
    const codes = await refusalsOf([
      ...['s', 'c', 'a'].map((text) => change({ contentType: 'plain', subject: text, css: null })),
      ...[1, 2, 3].map((n) => change({ contentType: 'html', css: `b${n}{}` })),
      ...[1, 2, 3].map((n) => change({ contentType: 'plain', comment: `c${n}` })),
    ]);
    expect(codes.every((code) => code === 'BAD_USER_INPUT')).toBe(true);
    const after = await at.find(id);
    expect(['s', 'c', 'a']).toContain(after.subject);
    if (after.contentType === 'plain') expect(after.css).toBeNull();
    expect(await revisionOf(id)).toBe(before + 9 - codes.length);
  });

  it('do not accept a parent that is unknown or of another tenant', async () => {
    const foreign = await (await at.another()).createCss();
    const template = await at.create();
    for (const parentCssId of [UNKNOWN, foreign.id, '', 'nonsense', LONG_NAME]) {
      const refusal = { code: 'NOT_FOUND', field: 'input.parentCssId' };
      expect(await at.refusedCreate({ parentCssId })).toMatchObject(refusal);
      expect(await at.refusedUpdate(template.id, { parentCssId })).toMatchObject(refusal);
    }
    expect(await at.find(template.id)).toEqual(template);
  });

  it('show the current version of their parent', async () => {
    const parent = await at.createCss({ text: 'a{}' });
    const template = await at.create({ parentCssId: parent.id });
    const { updateCss } = await at.api.ask(UPDATE_CSS, { id: parent.id, input: { text: 'b{}' } });
    expect(await at.find(template.id)).toEqual({ ...template, parentCss: updateCss });
  });

  it('are deleted once and returned unchanged', async () => {
    const template = await at.create({ parentCssId: css.id });
    expect((await at.api.ask(DELETE, { id: template.id })).deleteTemplate).toEqual(template);
    expect(await at.find(template.id)).toBeUndefined();
    expect((await at.api.refusal(DELETE, { id: template.id })).code).toBe('NOT_FOUND');
  });

  it('of an unknown id or another tenant are not found, changed or deleted', async () => {
    const template = await at.create();
    const foreign = await at.another();
    expect(await foreign.find(template.id)).toBeUndefined();
    for (const id of [template.id, UNKNOWN, "' OR 1=1", '']) {
      expect((await foreign.refusedUpdate(id, { name: 'theirs' })).code).toBe('NOT_FOUND');
      expect((await foreign.api.refusal(DELETE, { id })).code).toBe('NOT_FOUND');
    }
    expect(await at.api.refusal(DELETE, { id: 'a\0' })).toMatchObject(badInput('id'));
    expect(await at.refusedUpdate('a\0', {})).toMatchObject(badInput('id'));
    expect(await at.find(template.id)).toEqual(template);
  });

  async function revisionOf(id: string): Promise<number> {
    return (await allRowsOf('no API shows the revision of a template', at.server).template.findUniqueOrThrow({ where: { id } }))
      .revision;
  }
});
