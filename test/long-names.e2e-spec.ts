import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';

/** Makes a name of a length in UTF-16 units; random, since PostgreSQL compresses others to short ones. */
const randomText = (length: number) =>
  String.fromCharCode(...Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 20_000)));

const WITH_REFERENCE = 'query($reference:String!){filesWithExternalReference(externalReference:$reference){id}}';
describe('files with long names and references', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const create = async (input: object = {}): Promise<{ id: string }> =>
    (await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id}}', { input })).createFile;
  const idsOf = (files: { id: string }[]) => files.map(({ id }) => id);
  const ids = async (filter: object) =>
    idsOf((await api.ask('query($filter:FilesFilter){files(filter:$filter){items{id}}}', { filter })).files.items);
  const withReference = async (reference: string) =>
    idsOf((await api.ask(WITH_REFERENCE, { reference })).filesWithExternalReference);

  it('are found by names and references of full length, to the last character', async () => {
    const beginning = randomText(500);
    const made = [];
    for (const end of ['', randomText(524), randomText(524)]) {
      const text = beginning + end;
      made.push({ text, id: (await create({ name: text, externalReference: text })).id });
    }
    const [short, ...long] = made;
    const all = made.map(({ id }) => id).reverse();
    for (const length of [3, 500]) expect(await ids({ namePrefix: beginning.slice(0, length) })).toEqual(all);
    expect(await withReference(beginning)).toEqual([short!.id]);
    for (const { text, id } of long) {
      for (const length of [501, 600, 1_024]) expect(await ids({ namePrefix: text.slice(0, length) })).toEqual([id]);
      expect(await withReference(text)).toEqual([id]);
      expect(await withReference(text.slice(0, 600))).toEqual([]);
    }
  });

  it('are found by a full-length name and reference that were set later, and no longer by the earlier ones', async () => {
    const before = { name: randomText(1_024), externalReference: randomText(1_024) };
    const after = { name: randomText(1_024), externalReference: randomText(1_024) };
    const { id } = await create(before);
    const found = async (text: typeof before) => [
      await ids({ namePrefix: text.name }),
      await withReference(text.externalReference),
    ];
    const update = (input: object) =>
      api.ask('mutation($input:UpdateFileInput!){updateFile(input:$input){id}}', { input: { id, ...input } });
    await update(after);
    expect([await found(before), await found(after)]).toEqual([
      [[], []],
      [[id], [id]],
    ]);
    await update({ comment: 'leaves both' });
    expect(await found(after)).toEqual([[id], [id]]);
    await update({ name: null, externalReference: null });
    expect(await found(after)).toEqual([[], []]);
  });

  it('are found by characters of two code units, of which none is cut', async () => {
    const [name, sibling] = [`a${'😀'.repeat(510)}b`, `a${'😀'.repeat(510)}c`];
    const { id } = await create({ name, externalReference: name });
    const { id: siblingId } = await create({ name: sibling, externalReference: sibling });
    for (const length of [1, 498, 499, 500]) {
      expect(await ids({ namePrefix: `a${'😀'.repeat(length)}` })).toEqual([siblingId, id]);
    }
    expect(await ids({ namePrefix: name })).toEqual([id]);
    expect(await withReference(sibling)).toEqual([siblingId]);
  });
});
