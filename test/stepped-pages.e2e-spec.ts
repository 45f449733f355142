import { setTimeout } from 'node:timers/promises';
import { STEP_ENTRIES } from '../src/common/database/sql/index-walks.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog } from './support/document-log.js';
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push } from './support/websockets.js';

/** Longer than a page may search. */
const LONG_MS = 3_100;

/** Tables that lists are read from; workers look elsewhere meanwhile. */
const LISTED = /FROM "(Log|File|Message|GlobalMessage|Email|EmailRecipient)" AS [a-z] +WHERE/;

interface Statement {
  text: string;
  /** Returns the number of event loop turns before it. */
  turn: number;
}

/** Returns the list statements of a function; each waits for `before`, if that returns a promise. */
async function statementsOf(
  server: TestServer,
  work: () => Promise<unknown>,
  before: (text: string) => Promise<void> | undefined = () => undefined,
): Promise<Statement[]> {
  const database = allRowsOf('no API shows the statements of a page', server) as any;
  const query = database.$query;
  const statements: Statement[] = [];
  let turn = 0;
  let ticking = setImmediate(function tick() {
    turn++;
    ticking = setImmediate(tick);
  });
  database.$query = (compiled: { text: string; values: unknown[] }) => {
    const { text } = compiled;
    if (!LISTED.test(text)) return query.call(database, compiled);
    statements.push({ text, turn });
    const wait = before(text);
    return wait ? wait.then(() => query.call(database, compiled)) : query.call(database, compiled);
  };
  try {
    await work();
  } finally {
    database.$query = query;
    clearImmediate(ticking);
  }
  return statements;
}

describe('logs by two filters of which none is selective', () => {
  const RECORDS = 5 * STEP_ENTRIES;
  const HALF = { authorId: 'half', action: 'approve' };
  let log: DocumentLog;
  let matching: string[];

  /** Every second record is by one author; another half is approved, and six are both. */
  beforeAll(async () => {
    log = await DocumentLog.start();
    const isBoth = (i: number): boolean => i % (RECORDS / 6) < 1;
    const ids = await log.createMany(
      Array.from({ length: RECORDS }, (_, i) => ({
        documentId: `d${i % 5}`,
        documentType: i < 3 ? 'rare' : 'invoice',
        dateTime: new Date(Date.UTC(2024, 0, 1) + i * 1_000),
        author: { id: i % 2 === 0 ? 'half' : `other${i % 3}` },
        action: i % 2 === 1 || isBoth(i) ? 'approve' : 'view',
      })),
    );
    matching = ids.filter((_, i) => i % 2 === 0 && isBoth(i)).toReversed();
  });
  afterAll(() => log.stop());

  const idsOf = ({ items }: { items: { id: string }[] }): string[] => items.map(({ id }) => id);

  const walk = async (filter: object, limit: number): Promise<{ ids: string[]; pages: number }> => {
    const ids: string[] = [];
    for (let [pages, nextToken]: [number, string | null] = [1, null]; ; pages++) {
      const page: any = await log.page(filter, nextToken, limit);
      ids.push(...idsOf(page));
      nextToken = page.nextToken;
      if (nextToken === null) return { ids, pages };
    }
  };

  it('are found once each, however small the pages', async () => {
    expect(matching.length).toBeGreaterThan(2);
    for (const limit of [1, 2, 5, 1_000]) expect((await walk(HALF, limit)).ids).toEqual(matching);
    const answer = await log.export('?authorId=half&action=approve');
    const lines = (await answer.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(matching);
  });

  it('take one statement if the first step finds the page', async () => {
    expect(await statementsOf(log.server, () => log.page({ authorId: 'half', action: 'view' }))).toHaveLength(1);
    expect(await statementsOf(log.server, () => log.page({ authorId: 'unheard of', action: 'view' }))).toHaveLength(1);
  });

  it('are read in bounded steps, and other requests run in between', async () => {
    const statements = await statementsOf(log.server, async () => {
      expect(await log.page(HALF)).toMatchObject({ nextToken: null });
    });
    const steps = statements.filter(({ text }) => !/OFFSET \d\d/.test(text) || text.includes('UNION'));
    expect(steps.length).toBe(Math.ceil(RECORDS / 2 / STEP_ENTRIES));
    for (const [index, { turn }] of steps.entries()) if (index > 0) expect(turn).toBeGreaterThan(steps[index - 1]!.turn);
  });

  it('walk the index that ends first', async () => {
    for (const filter of [
      { authorId: 'half', documentType: 'rare' },
      { authorId: 'half', action: 'unheard of' },
    ]) {
      const statements = await statementsOf(log.server, () => log.page(filter));
      expect(statements.length).toBeLessThanOrEqual(4);
    }
    expect((await log.page({ authorId: 'half', documentType: 'rare' })).items).toHaveLength(2);
  });

  it('yield the state of a document in steps too', async () => {
    const attribute = (id: string, raw: string, dateTime: string) => ({
      documentId: 'd0',
      documentType: 'invoice',
      attribute: { id },
      attributeNewValue: { raw },
      dateTime,
    });
    await log.createMany([
      attribute('b', 'oldest', '2023-01-01T00:00:00Z'),
      attribute('a', 'old', '2023-01-02T00:00:00Z'),
      attribute('a', 'new', '2024-06-01T00:00:00Z'),
    ]);
    const valuesOf = (state: any[]): string[] => state.map((one) => `${one.attributeId} ${one.value.raw}`);
    const statements = await statementsOf(log.server, async () => {
      expect(valuesOf(await log.state({ documentId: 'd0' }))).toEqual(['a new', 'b oldest']);
    });
    expect(statements.length).toBeGreaterThan(RECORDS / 5 / STEP_ENTRIES);
    expect(valuesOf(await log.state({ documentId: 'd0', at: '2024-01-01T00:00:00Z' }))).toEqual(['a old', 'b oldest']);
  });

  it('end a page early, with a token that continues from there, when the search takes long', async () => {
    const pages: any[] = [];
    await statementsOf(
      log.server,
      async () => pages.push(await log.page(HALF)),
      (text) => (text.includes('UNION') ? setTimeout(LONG_MS) : undefined),
    );
    expect(idsOf(pages[0]).length).toBeLessThan(matching.length);
    expect(pages[0].nextToken).toEqual(expect.any(String));
    pages.push(await log.page(HALF, pages[0].nextToken));
    expect(pages.flatMap(idsOf)).toEqual(matching);
    expect(pages[1].nextToken).toBeNull();
    await log.refusedPage({ filter: { authorId: 'half' }, nextToken: pages[0].nextToken });
  });
});

/** Requests the same field for each number below `count`, in concurrent groups, so that they are written together. */
async function often(api: Api, count: number, field: (index: number) => string): Promise<void> {
  for (let from = 0; from < count; from += 2_000) {
    const groups = Array.from({ length: Math.ceil(Math.min(2_000, count - from) / 100) }, (_, group) => from + group * 100);
    await Promise.all(
      groups.map((first) => {
        const fields = Array.from({ length: Math.min(100, count - first) }, (_, index) => `m${index}:${field(first + index)}`);
        return api.ask(`mutation{${fields.join(' ')}}`);
      }),
    );
  }
}

/** Returns all pages of a list. */
async function pagesOf<T>(page: (nextToken: string | null) => Promise<{ items: T[]; nextToken: string | null }>): Promise<T[]> {
  const all: T[] = [];
  for (let nextToken: string | null = null; ;) {
    const { items, nextToken: next }: { items: T[]; nextToken: string | null } = await page(nextToken);
    all.push(...items);
    if (next === null) return all;
    nextToken = next;
  }
}

describe('messages by a recipient of more than one step, and another filter', () => {
  it('are listed once each, in order with the copies of global messages', async () => {
    const server = await TestServer.start();
    const push = new Push(await server.api('websockets-manager'));
    const client = await push.connect('r', { topic: 'wanted' });
    const pushed: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      const { results } = await push.push(['r', 'other'], name, { topic: 'wanted', expiresAt: inSeconds(600) });
      pushed.push(results[0].item.message, (await push.pushGlobal(`global ${name}`, { topic: 'wanted' })).message);
      await often(push.api, STEP_ENTRIES / 3 + 50, () => {
        return 'pushMessage(input:{recipients:["r"],message:"m",topic:"much"}){error{message}}';
      });
      await client.received(pushed.length);
    }
    const filter = { recipient: 'r', topic: 'wanted' };
    for (const limit of [1, 4, 1_000]) {
      const items: any[] = await pagesOf((nextToken) => push.messages(filter, { nextToken, limit }));
      expect(items.map(({ message }) => message)).toEqual(pushed.toReversed());
    }
    const statements = await statementsOf(server, async () => {
      expect(await push.messages({ recipient: 'r', topic: 'unheard of' })).toEqual({ items: [], nextToken: null });
    });
    expect(statements.length).toBeLessThanOrEqual(8);
    await client.close();
    await server.stop();
  });
});

describe('messages by their expiry', () => {
  it('are listed once each, newest first, whether few of them match or more than one step', async () => {
    const server = await TestServer.start();
    const push = new Push(await server.api('websockets-manager'));
    const crowd = Array.from({ length: STEP_ENTRIES / 2 }, (_, index) => `r${index}`);
    const few: string[] = [];
    const globals: string[] = [];
    for (let count = 0; count < 3; count++) {
      await push.push(crowd, 'm', { expiresAt: inSeconds(600) });
      few.push((await push.push(['few'], 'm', { expiresAt: inSeconds(6_000) })).results[0].item.id);
      await push.pushGlobal('m', { expiresAt: inSeconds(600) });
      globals.push((await push.pushGlobal('m', { expiresAt: inSeconds(6_000) })).id);
      await push.push(['never'], 'm');
    }
    const later = { expiresAt: { from: inSeconds(3_000) } };
    const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
    for (const limit of [1, 2, 3, 1_000]) {
      expect(idsOf(await pagesOf((nextToken) => push.messages(later, { nextToken, limit })))).toEqual(few.toReversed());
      expect(idsOf(await pagesOf((nextToken) => push.globalMessages(later, { nextToken, limit })))).toEqual(globals.toReversed());
    }
    const soon = { expiresAt: { to: inSeconds(3_000) } };
    const many = idsOf(await pagesOf<any>((nextToken) => push.messages(soon, { nextToken, limit: 1_000 })));
    expect(new Set(many).size).toBe(3 * crowd.length);
    expect(many).toHaveLength(3 * crowd.length);
    expect(await push.messages({ expiresAt: { from: inSeconds(60_000) } })).toEqual({ items: [], nextToken: null });
    await server.stop();
  });
});

describe('files of more than one step', () => {
  it('are found once each by frequent and rare name prefixes, and none by a status that no file has', async () => {
    const server = await TestServer.start();
    const api = await server.api('file-management');
    const total = STEP_ENTRIES + 60;
    await often(api, total, (index) => `createFile(input:{name:"${index % 1000 === 7 ? 'rare' : 'many'}-${index}"}){id}`);
    const FILES =
      'query($filter:FilesFilter,$nextToken:String,$limit:Int){files(filter:$filter,nextToken:$nextToken,limit:$limit){items{id name} nextToken}}';
    const found = async (filter: object): Promise<any[]> =>
      pagesOf(async (nextToken) => (await api.ask(FILES, { filter, nextToken, limit: 1_000 })).files);

    const many = await found({ namePrefix: 'many', status: 'uploading' });
    expect(new Set(many.map(({ id }) => id)).size).toBe(many.length);
    expect(many).toHaveLength(total - 3);
    expect(many.map(({ id }) => id)).toEqual(
      many
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect((await found({ namePrefix: 'rare' })).map(({ name }) => name).toSorted()).toEqual([
      'rare-1007',
      'rare-2007',
      'rare-7',
    ]);
    for (const status of ['expired', 'done']) expect(await found({ status })).toEqual([]);
    const statements = await statementsOf(server, () => found({ namePrefix: 'many', status: 'done' }));
    expect(statements.length).toBeLessThanOrEqual(5);
    await server.stop();
  });
});
