import { badInput, DELETE, PAGE, PAGE_CSS, Rendering, UNKNOWN } from './support/rendering.js';

interface Page {
  items: { id: string; parentCss: { id: string } | null }[];
  nextToken: string | null;
}

describe.each([
  ['templates', PAGE],
  ['css', PAGE_CSS],
] as const)('pages of %s', (operation, query) => {
  let at: Rendering;
  let ids: string[];
  beforeAll(async () => {
    at = await Rendering.start();
    ids = [];
    for (let i = 0; i < 12; i++) ids.push((await create(`name ${i}`)).id);
  });
  afterAll(() => at.stop());

  const create = (name: string) => (operation === 'css' ? at.createCss({ name }) : at.create({ name }));
  const page = async (variables: Record<string, unknown> = {}): Promise<Page> => (await at.api.ask(query, variables))[operation];
  const found = async (filter: object | null) => (await page({ filter })).items.map(({ id }) => id);

  it('are sorted oldest first and return everything once, while others are written', async () => {
    const seen: string[] = [];
    const created: string[] = [];
    let nextToken: string | null = null;
    do {
      const { items, nextToken: next }: Page = await page({ limit: 5, nextToken });
      seen.push(...items.map(({ id }) => id));
      if (created.length < 3) created.push((await create(`meanwhile ${created.length}`)).id);
      nextToken = next;
    } while (nextToken);
    expect(seen.slice(0, ids.length)).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
    expect(await found(null)).toEqual([...ids, ...created]);
    const mutation = operation === 'css' ? 'deleteCss' : 'deleteTemplate';
    for (const id of created) await at.api.ask(`mutation{${mutation}(id:"${id}"){id}}`);
  });

  it('accept a limit from 1 to 1000', async () => {
    expect((await page({ limit: 12 })).nextToken).toBeNull();
    expect((await page({ limit: 11 })).nextToken).toEqual(expect.any(String));
    expect((await page({ limit: 1000 })).items).toHaveLength(12);
    for (const limit of [0, -1, 1001]) expect(await at.api.refusal(query, { limit })).toMatchObject(badInput('limit'));
  });

  it('filter by ids and by the whole name; both must match, and an empty list matches nothing', async () => {
    const [a, b, c] = ids as [string, string, string];
    expect(await found({})).toEqual(ids);
    expect(await found({ ids: [c, a, null, UNKNOWN, 'nonsense', a] })).toEqual([a, c]);
    expect(await found({ ids: [] })).toEqual([]);
    expect(await found({ ids: [null] })).toEqual([]);
    expect(await found({ name: 'name 1' })).toEqual([b]);
    for (const name of ['name', 'NAME 1', 'name 1 ', '', '%']) expect(await found({ name })).toEqual([]);
    expect(await found({ name: 'name 1', ids: [a, b] })).toEqual([b]);
    expect(await found({ name: 'name 1', ids: [a, c] })).toEqual([]);
    expect(await found({ name: null, ids: null })).toEqual(ids);
  });

  it('refuse a filter that is out of bounds', async () => {
    const refusal = (filter: object) => at.api.refusal(query, { filter });
    expect(await refusal({ ids: Array(1_001).fill('x') })).toMatchObject(badInput('filter.ids', /at most 1000/));
    expect(await refusal({ ids: ['x'.repeat(1_025)] })).toMatchObject(badInput('filter.ids.0', /at most 1024/));
    expect(await refusal({ ids: ['\0'] })).toMatchObject(badInput('filter.ids.0', /NUL/));
    expect(await refusal({ name: 'x'.repeat(1_025) })).toMatchObject(badInput('filter.name', /at most 1024/));
    expect(await found({ ids: Array(1_000).fill(ids[0]) })).toEqual([ids[0]]);
  });

  it('refuse a token that is damaged, of another tenant or of another filter', async () => {
    const { nextToken } = await page({ limit: 2 });
    const foreign = await at.another();
    expect(await foreign.api.refusal(query, { nextToken })).toMatchObject(badInput('nextToken'));
    expect(await at.api.refusal(query, { nextToken, filter: { name: 'a' } })).toMatchObject(badInput('nextToken'));
    expect(await at.api.refusal(query, { nextToken: `${nextToken}x` })).toMatchObject(badInput('nextToken'));
    const other = operation === 'css' ? PAGE : PAGE_CSS;
    expect(await at.api.refusal(other, { nextToken })).toMatchObject(badInput('nextToken'));
    expect((await page({ nextToken, filter: {}, limit: 1 })).items.map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('of another tenant are empty', async () => {
    const foreign = await at.another();
    expect((await foreign.api.ask(query))[operation]).toEqual({ items: [], nextToken: null });
  });
});

describe('lists of templates and stylesheets', () => {
  let at: Rendering;
  beforeAll(async () => {
    at = await Rendering.start();
  });
  afterAll(() => at.stop());

  it('filter templates by active', async () => {
    const [on, off] = [await at.create(), await at.create()];
    await at.update(off.id, { active: false });
    const found = async (filter: object) =>
      (await at.api.ask(PAGE, { filter })).templates.items.map(({ id }: { id: string }) => id);
    expect(await found({ active: true })).toEqual([on.id]);
    expect(await found({ active: false })).toEqual([off.id]);
    expect(await found({ active: null })).toEqual([on.id, off.id]);
    expect(await found({ active: true, ids: [off.id] })).toEqual([]);
    expect(await found({ active: false, name: off.name })).toEqual([off.id]);
    for (const id of [on.id, off.id]) await at.api.ask(DELETE, { id });
  });

  it('show each template with its own parent', async () => {
    const parents = [(await at.createCss({ name: 'p' })).id, (await at.createCss({ name: 'q' })).id, undefined];
    for (const parentCssId of [...parents, ...parents]) await at.create({ parentCssId });
    const { items } = (await at.api.ask(PAGE)).templates as Page;
    expect(items.map(({ parentCss }) => parentCss?.id)).toEqual([...parents, ...parents]);
  });

  it('hold 1000 unless a limit is given, each with a parent of its own', async () => {
    const another = await at.another();
    const numbers = Array.from({ length: 91 }, (_, i) => i);
    for (let n = 0; n < 11; n++) {
      const styles = numbers.map((i) => `c${i}:createCss(input:{name:"a"}){id}`).join(' ');
      const css = await another.api.ask(`mutation{${styles}}`);
      const given = (i: number) => `name:"${n}.${i}",type:document,body:"b",contentType:html,parentCssId:"${css[`c${i}`].id}"`;
      const templates = numbers.map((i) => `t${i}:createTemplate(input:{${given(i)}}){id}`).join(' ');
      await another.api.ask(`mutation{${templates}}`);
    }
    const { css } = await another.api.ask(PAGE_CSS);
    const { templates } = (await another.api.ask(PAGE)) as { templates: Page };
    expect(templates.items).toHaveLength(1_000);
    expect(templates.items.map(({ parentCss }) => parentCss?.id)).toEqual(css.items.map(({ id }: { id: string }) => id));
    for (const [query, { nextToken }] of [
      [PAGE, templates],
      [PAGE_CSS, css],
    ] as const)
      // prettier-ignore
      expect(Object.values(await another.api.ask(query, { nextToken }))).toMatchObject([{ items: { length: 1 }, nextToken: null }]);
  });
});
