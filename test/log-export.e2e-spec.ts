import { randomUUID } from 'node:crypto';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog, FULL } from './support/document-log.js';

let log: DocumentLog;
beforeAll(async () => {
  log = await DocumentLog.start();
});
afterAll(() => log.stop());

const lines = async (response: Response) =>
  (await response.text())
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('an export of the log', () => {
  it('as NDJSON has the records as GraphQL returns them, over all pages', async () => {
    const own = await log.another();
    await own.createMany(Array.from({ length: 2_500 }, (_, index) => ({ documentId: `n${index}` })));
    const full = await own.create({ ...FULL, dateTime: '2023-01-01' });
    await own.update(full.id, { comment: 'changed' });
    const response = await own.export('');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="document-log.ndjson"');
    const exported = await lines(response);
    expect(exported).toHaveLength(2_501);
    expect(exported.at(-1)).toEqual(await own.find(full.id));
    expect(exported.slice(0, 100)).toEqual((await own.page()).items);
  });

  it('has the records that match its filters, of its own tenant only', async () => {
    const documentId = randomUUID();
    const made = await log.createMany([{ documentId }, { documentId, dateTime: '2020-01-01' }, { documentId: 'other' }]);
    const found = async (query: string, as = log) => (await lines(await as.export(query))).map(({ id }) => made.indexOf(id));
    expect(await found(`?documentId=${documentId}`)).toEqual([0, 1]);
    expect(await found(`?documentId=${documentId}&from=2024-07-16&to=2024-07-16`)).toEqual([0]);
    expect(await found(`?documentId=${documentId}`, await log.another())).toEqual([]);
  });

  it('as CSV has every cell in its column, and none is a formula', async () => {
    const own = await log.another();
    const cells = ['=1+1', '+1', '-1', '@a', '\tx', '\rx', 'a,b', 'say "hi"', 'two\r\nlines', ' =x', "it's", ''];
    for (const comment of cells) await own.create({ ...FULL, comment });
    const response = await own.export('?format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="document-log.csv"');
    const [head, ...rows] = parseCsv(await response.text());
    expect(rows.map((row) => row.length)).toEqual(cells.map(() => head!.length));
    const column = (name: string) => rows.map((row) => row[head!.indexOf(name)]!).toReversed();
    const safe = ["'=1+1", "'+1", "'-1", "'@a", "'\tx", "'\rx", 'a,b', 'say "hi"', 'two\r\nlines', "' =x", "it's", ''];
    expect(column('comment')).toEqual(safe);
    expect(column('documentId')[0]).toBe(FULL.documentId);
    expect(JSON.parse(column('attributeName')[0]!)).toEqual(FULL.attribute.name);
    expect(column('geoLocation')[0]).toBe('[-4.9,52.3]');
  });

  it('as CSV begins with a byte order mark only on request', async () => {
    const own = await log.another();
    await own.create({ comment: 'ü' });
    const bytes = async (query: string) => Buffer.from(await (await own.export(query)).arrayBuffer());
    const plain = await bytes('?format=csv');
    expect(await bytes('?format=csv&bom=true')).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]));
    expect(await bytes('?format=csv&bom=false')).toEqual(plain);
  });

  it.each([
    ['?format=csv&bom=1', 'bom'],
    ['?bom=true', 'bom'],
    ['?format=bundle&bom=true', 'bom'],
    ['?format=xml', 'format'],
    ['?documentID=x', 'documentID'],
    ['?documentId=a&documentId=b', 'documentId'],
    ['?from=yesterday', 'from'],
    ['?from=2024-01-02&to=2024-01-01', 'from'],
    ['?custom1=a%00', 'custom1'],
  ])('with %s is refused', async (query, field) => {
    const response = await log.export(query);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: 'BAD_USER_INPUT', message: expect.stringContaining(`${field}: `) });
  });

  it('requires a key that may query logs', async () => {
    const status = async (scope?: string) =>
      (await log.export('', scope ? { 'x-api-key': await log.server.createKey(scope) } : {})).status;
    expect(await status()).toBe(401);
    expect(await status('email-api:query:*')).toBe(403);
    expect(await status('document-log-api:query:documentState')).toBe(403);
    expect(await status('document-log-api:query:logs')).toBe(200);
  });

  it('that fails midway breaks off, so nobody takes it for complete', async () => {
    const own = await log.another();
    const database = allRowsOf('no API fails midway', log.server) as any;
    await own.createMany(Array.from({ length: 2_500 }, () => ({})));
    const query = database.$query;
    let pages = 0;
    database.$query = (...args: unknown[]) => {
      const fails = String((args[0] as any).text).includes('"dateTime" DESC') && ++pages === 2;
      return query.apply(database, fails ? [{ text: 'SELECT the_disk_is_gone', values: [] }] : args);
    };
    try {
      const response = await own.export('');
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      expect(log.server.logLines.join('')).toContain('the_disk_is_gone');
    } finally {
      database.$query = query;
    }
  });

  it('yields to other requests after each page, however fast its client reads', async () => {
    const own = await log.another();
    const database = allRowsOf('no API shows when a page is read', log.server) as any;
    await own.createMany(Array.from({ length: 1_000 }, () => ({})));
    let turn = 0;
    let timer: NodeJS.Immediate;
    const count = () => {
      turn++;
      timer = setImmediate(count);
    };
    const turns: number[] = [];
    const query = database.$query;
    database.$query = (...args: unknown[]) => {
      if (String((args[0] as any).text).includes('"dateTime" DESC')) turns.push(turn);
      return query.apply(database, args);
    };
    count();
    try {
      expect(await lines(await own.export(''))).toHaveLength(1_000);
      expect(turns.length).toBeGreaterThanOrEqual(10);
      // The first two pages are read before the answer begins to flow.
      expect(new Set(turns.slice(1)).size).toBe(turns.length - 1);
    } finally {
      clearImmediate(timer!);
      database.$query = query;
    }
  });

  it('stops reading once its client is gone', async () => {
    const own = await log.another();
    const database = allRowsOf('no API shows when a page is read', log.server) as any;
    const details = { attributeNewValue: { raw: 'x'.repeat(60_000) } };
    for (let batch = 0; batch < 6; batch++) await own.createMany(Array.from({ length: 120 }, () => details));
    const query = database.$query;
    let pages = 0;
    let running = 0;
    database.$query = (...args: unknown[]) => {
      if (String((args[0] as any).text).includes('"dateTime" DESC')) pages++;
      running++;
      return query.apply(database, args).finally(() => running--);
    };
    try {
      const abort = new AbortController();
      const response = await fetch(`${log.server.address}/document-log/export`, {
        headers: { 'x-api-key': own.api.key! },
        signal: abort.signal,
      });
      await response.body!.getReader().read();
      // With nobody reading, what fits into the buffers between them is all that is read.
      let before = -1;
      while (before !== pages || running > 0) {
        before = pages;
        await new Promise((done) => setTimeout(done, 300));
      }
      abort.abort();
      await new Promise((done) => setTimeout(done, 300));
      expect(pages).toBeLessThanOrEqual(before + 1);
      const pagesUnread = pages;
      pages = 0;
      await (await own.export('')).text();
      expect(pagesUnread).toBeLessThan(pages / 2);
    } finally {
      database.$query = query;
    }
  });
});

/** By RFC 4180. */
function parseCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    rows.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === '\r\n') rows.push([]);
    if (cell.lastIndex === text.length) break;
  }
  expect(cell.lastIndex).toBe(text.length);
  return rows.slice(0, -1);
}
