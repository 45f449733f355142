// @nightly postgresql: no SQL of its own
import {
  AUTHOR_FAULTS,
  badInput,
  CREATE,
  CREATE_CSS,
  DELETE,
  DELETE_CSS,
  LONG_NAME,
  MIB,
  PAGE,
  refusalsOf,
  Rendering,
  STYLE_FAULTS,
  UNKNOWN,
  UPDATE_CSS,
  type Fault,
} from './support/rendering.js';

describe('stylesheets', () => {
  let at: Rendering;
  beforeAll(async () => {
    at = await Rendering.start();
  });
  afterAll(() => at.stop());

  it('are created with all given fields, and require only a name', async () => {
    const given = {
      name: LONG_NAME,
      text: 'a{}\n'.repeat(MIB / 4),
      author: { id: '7', name: 'Ann', email: 'a@b', profile: 'p' },
    };
    const css = await at.createCss(given);
    expect(css).toMatchObject({ ...given, updatedAt: css.createdAt });
    expect(css.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await at.findCss(css.id)).toEqual(css);
    expect(await at.createCss({ name: 'a' })).toMatchObject({ name: 'a', text: null, author: null });
  });

  it('may share a name', async () => {
    const [a, b] = [await at.createCss({ name: 'twice' }), await at.createCss({ name: 'twice' })];
    expect(a.id).not.toBe(b.id);
  });

  it.each<Fault>([
    [{ name: '' }, 'input.name', /must not be empty/],
    [{ name: 'x'.repeat(1_025) }, 'input.name', /at most 1024/],
    [{ name: 'a\nb' }, 'input.name', /control characters/],
    [{ name: 'a\0' }, 'input.name', /NUL/],
    [{ text: 'x'.repeat(MIB + 1) }, 'input.text', /at most 1048576/],
    [{ text: '\ud800' }, 'input.text', /lone surrogate/],
    ...STYLE_FAULTS.map((text): Fault => [{ text }, 'input.text', /<\/style/]),
    ...AUTHOR_FAULTS,
  ])('are not created with %.100j', async (given, field, message) => {
    expect(await at.api.refusal(CREATE_CSS, { input: { name: 'a', ...given } })).toMatchObject(badInput(field, message));
  });

  it('retain what an update leaves out, clear what it sets to null, and replace the whole author', async () => {
    const css = await at.createCss({ text: 'a{}', author: { id: '1', name: 'n' } });
    const update = async (input: object) => (await at.api.ask(UPDATE_CSS, { id: css.id, input })).updateCss;
    expect(await update({})).toMatchObject({ ...css, updatedAt: expect.any(String) });
    expect(await update({ author: { email: 'e' } })).toMatchObject({
      text: 'a{}', author: { id: null, name: null, email: 'e', profile: null },
    }); // prettier-ignore
    expect(await update({ text: 'b{}', author: null })).toMatchObject({ name: 'style', text: 'b{}', author: null });
    const last = await update({ text: null });
    expect(last.text).toBeNull();
    expect(last.updatedAt >= css.updatedAt && last.createdAt === css.createdAt).toBe(true);
    expect(await at.findCss(css.id)).toEqual(last);
  });

  it.each<Fault>([
    ...STYLE_FAULTS.map((text): Fault => [{ text }, 'input.text', /<\/style/]),
    [{ text: 'x'.repeat(MIB + 1) }, 'input.text', /at most 1048576/],
    ...AUTHOR_FAULTS,
  ])('are not updated with %.100j', async (input, field, message) => {
    const css = await at.createCss({ text: 'a{}' });
    expect(await at.api.refusal(UPDATE_CSS, { id: css.id, input })).toMatchObject(badInput(field, message));
    expect(await at.findCss(css.id)).toEqual(css);
  });

  it('are deleted once and returned unchanged', async () => {
    const css = await at.createCss({ text: 'a{}' });
    expect((await at.api.ask(DELETE_CSS, { id: css.id })).deleteCss).toEqual(css);
    expect(await at.findCss(css.id)).toBeUndefined();
    expect((await at.api.refusal(DELETE_CSS, { id: css.id })).code).toBe('NOT_FOUND');
  });

  it('of an unknown id or another tenant are not found, changed or deleted', async () => {
    const css = await at.createCss({ text: 'a{}' });
    const foreign = await at.another();
    expect(await foreign.findCss(css.id)).toBeUndefined();
    for (const id of [css.id, UNKNOWN, "' OR 1=1", '']) {
      expect((await foreign.api.refusal(UPDATE_CSS, { id, input: { text: 'b{}' } })).code).toBe('NOT_FOUND');
      expect((await foreign.api.refusal(DELETE_CSS, { id })).code).toBe('NOT_FOUND');
    }
    expect(await at.api.refusal(DELETE_CSS, { id: 'a\0' })).toMatchObject(badInput('id'));
    expect(await at.api.refusal(UPDATE_CSS, { id: 'a\0', input: {} })).toMatchObject(badInput('id'));
    expect(await at.findCss(css.id)).toEqual(css);
  });

  it('in use are not deleted, and the error names the templates', async () => {
    const { id } = await at.createCss();
    const users = [];
    for (let n = 0; n < 12; n++) users.push(await at.create({ name: `user ${n}`, parentCssId: id }));
    const refusal = await at.api.refusal(DELETE_CSS, { id });
    expect(refusal).toMatchObject({ code: 'CONFLICT', field: 'id' });
    expect(refusal.message).toContain('"user 0", "user 1", ');
    expect(refusal.message).toContain('"user 9" and 2 more');
    expect(refusal.message).not.toContain('user 10');
    for (const user of users.slice(1)) await at.api.ask(DELETE, { id: user.id });
    expect((await at.api.refusal(DELETE_CSS, { id })).message).toMatch(/"user 0";/);
    await at.update(users[0].id, { parentCssId: null });
    expect((await at.api.ask(DELETE_CSS, { id })).deleteCss.id).toBe(id);
  });

  it('are deleted or assigned to a template, never both, when both are requested concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await at.createCss();
      const input = at.input({ parentCssId: id });
      const both = [at.api.send(CREATE, { input }), at.api.send(DELETE_CSS, { id })];
      const refusals = await refusalsOf(round % 2 ? both : both.reverse());
      expect([['NOT_FOUND'], ['CONFLICT']]).toContainEqual(refusals);
      const made = (await at.api.ask(PAGE, { filter: { name: input.name } })).templates.items;
      expect(made.map(({ parentCss }: any) => parentCss.id)).toEqual(refusals[0] === 'CONFLICT' ? [id] : []);
      expect(await at.findCss(id)).toEqual(refusals[0] === 'CONFLICT' ? expect.anything() : undefined);
    }
  });
});
