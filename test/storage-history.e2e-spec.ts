// Past the API: a run of the sampler without its pause, and a statement whose plan is examined.
import { historyStatement } from '../src/modules/file-management/usage/storage-samples.queries.js';
import { StorageSampler } from '../src/modules/file-management/usage/storage-sampler.job.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { dialect, explainedForMany } from './support/plans.js';
import { TestServer } from './support/server.js';

interface Sample {
  at: string;
  fileSize: number;
  fileCount: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HISTORY = 'query($days:Int){storageHistory(days:$days){at fileSize fileCount}}';

let server: TestServer;
let sampler: StorageSampler;
let work: (signal: AbortSignal) => Promise<void>;
let api: Api;
beforeAll(async () => {
  server = await TestServer.start();
  sampler = server.app.get(StorageSampler, { strict: false });
  // Only these tests say when samples are taken.
  work = (sampler as any).run.bind(sampler);
  Object.assign(sampler, { run: () => Promise.resolve() });
});
beforeEach(async () => {
  api = await server.api('file-management');
});
afterAll(() => server.stop());

const START = Date.now();
const hourOf = (time: number) => time - (time % HOUR_MS);
/** Returns a moment a number of hours before the tests began: samples are of the start of an hour. */
const hoursAgo = (hours: number) => hourOf(START) - hours * HOUR_MS + 1_234_567;
const sampleAt = (time: number) => sampler.sample(new Date(time));
const iso = (time: number) => new Date(time).toISOString();

/** Adds a file with content of that many bytes. */
async function add(bytes: number, as = api): Promise<string> {
  const { id, uploadUrl } = (await as.ask('mutation{createFile(input:{name:"a.txt"}){id uploadUrl}}')).createFile;
  if (bytes > 0) expect((await fetch(uploadUrl, { method: 'PUT', body: 'x'.repeat(bytes) })).status).toBe(200);
  return id;
}
const history = async (days?: number, as = api): Promise<Sample[]> => (await as.ask(HISTORY, { days })).storageHistory;
/** Returns the samples without the present, as hour, size and count. */
const samples = async (days?: number, as = api) =>
  (await history(days, as)).slice(0, -1).map(({ at, fileSize, fileCount }) => [at, fileSize, fileCount]);

describe('the history of storage', () => {
  it('is the present for a tenant that never stored anything', async () => {
    const before = Date.now();
    const [present, ...others] = await history();
    expect([present, others]).toEqual([{ at: expect.any(String), fileSize: 0, fileCount: 0 }, []]);
    expect(Date.parse(present!.at)).toBeGreaterThanOrEqual(before);
  });

  it('has a sample of each hour in which the sums changed, oldest first, and ends with the present', async () => {
    const id = await add(5);
    await sampleAt(hoursAgo(6));
    await sampleAt(hoursAgo(5));
    await add(7);
    await add(0);
    await sampleAt(hoursAgo(4));
    await sampleAt(hoursAgo(3));
    await api.ask(`mutation{deleteFile(id:"${id}"){id}}`);
    await sampleAt(hoursAgo(2));
    await add(1);
    const before = Date.now();
    const all = await history(1);
    expect(all.slice(0, -1)).toEqual([
      { at: iso(hourOf(hoursAgo(6))), fileSize: 5, fileCount: 1 },
      { at: iso(hourOf(hoursAgo(4))), fileSize: 12, fileCount: 3 },
      { at: iso(hourOf(hoursAgo(2))), fileSize: 7, fileCount: 2 },
    ]);
    expect(all.at(-1)).toMatchObject({ fileSize: 8, fileCount: 3 });
    expect(Date.parse(all.at(-1)!.at)).toBeGreaterThanOrEqual(before);
  });

  it('retains the first sample of an hour, however often and by however many nodes it is taken', async () => {
    await add(1);
    await Promise.all([sampleAt(hoursAgo(1)), sampleAt(hoursAgo(1)), sampleAt(hoursAgo(1))]);
    await add(2);
    await sampleAt(hoursAgo(1) + 60_000);
    expect(await samples()).toEqual([[iso(hourOf(hoursAgo(1))), 1, 1]]);
  });

  it('begins with what was stored when the period began, as far as known', async () => {
    /** Asks again where another hour began meanwhile, from which the period counts. */
    const withSince = async (days: number): Promise<[string, unknown[]]> => {
      const hour = hourOf(Date.now());
      const found = await samples(days);
      return hourOf(Date.now()) === hour ? [iso(hour - days * DAY_MS), found] : withSince(days);
    };
    await add(3);
    await sampleAt(hoursAgo(24 * 20));
    await add(4);
    await sampleAt(hoursAgo(24 * 2 - 3));
    const last = [iso(hourOf(hoursAgo(24 * 2 - 3))), 7, 2];
    expect(await samples()).toEqual([[iso(hourOf(hoursAgo(24 * 20))), 3, 1], last]);
    expect(await samples(400)).toEqual([[iso(hourOf(hoursAgo(24 * 20))), 3, 1], last]);
    for (const days of [20, 2]) {
      const [since, found] = await withSince(days);
      expect(found).toEqual([[since, 3, 1], last]);
    }
    const [since, found] = await withSince(1);
    expect(found).toEqual([[since, 7, 2]]);
  });

  it('is that of the tenant, though one statement takes the samples of all', async () => {
    const other = await server.api('file-management');
    await add(1);
    await add(2, other);
    await sampleAt(hoursAgo(3));
    expect(await samples()).toEqual([[iso(hourOf(hoursAgo(3))), 1, 1]]);
    expect(await samples(undefined, other)).toEqual([[iso(hourOf(hoursAgo(3))), 2, 1]]);
  });

  it.each([0, -1, 401])('is refused for %i days, naming the field', async (days) => {
    expect(await api.refusal(HISTORY, { days })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'days',
      message: 'days: must be from 1 to 400',
    });
  });

  it('requires its scope entry', async () => {
    const narrow = await server.api('file-management', await server.createKey('file-management-api:query:storageUsed'));
    expect((await narrow.refusal(HISTORY)).code).toBe('FORBIDDEN');
    const exact = await server.api('file-management', await server.createKey('file-management-api:query:storageHistory'));
    expect(await history(1, exact)).toHaveLength(1);
  });

  it('is read by an index', async () => {
    const database = allRowsOf('no API shows the plan of a statement', server);
    const [since, until] = [new Date(Date.now() - 30 * DAY_MS), new Date()];
    const { plan } = await explainedForMany(database, historyStatement(dialect, { tenantId: 't', since, until, limit: 100 }));
    if (dialect.pick({ sqlite: true, postgresql: false })) {
      expect(plan).toContain('SEARCH s USING INDEX sqlite_autoindex_StorageSample_1 (tenantId=? AND at>? AND at<?)');
      expect(plan).not.toMatch(/SCAN s|TEMP B-TREE/);
    } else expect(plan).not.toMatch(/Seq Scan/);
  });
});

describe('samples of storage', () => {
  it('are retained by the hour for 48 hours, then the last of each day, then none over 400 days except the last before', async () => {
    const now = Date.UTC(2031, 4, 20, 12, 30);
    const asOf = async (time: number) => {
      const database = allRowsOf('no API shows when a sample is removed', server);
      const rows = await database.storageSample.findMany({ where: { fileSize: { gte: 1_000_000 } }, orderBy: { at: 'asc' } });
      await sampler.thin(new Date(time));
      const left = await database.storageSample.findMany({ where: { fileSize: { gte: 1_000_000 } }, orderBy: { at: 'asc' } });
      const texts = (all: typeof rows) => all.map(({ at }) => at.toISOString().slice(0, 13));
      return { before: texts(rows), left: texts(left) };
    };
    await add(1_000_000);
    // One more file each hour, from the evening of the 16th to noon of the 20th, but for a quiet day.
    const hours: string[] = [];
    for (let time = Date.UTC(2031, 4, 16, 20, 5); time <= now; time += HOUR_MS) {
      if (iso(time) > '2031-05-17T02' && iso(time) < '2031-05-18T10') continue;
      await add(0);
      await sampleAt(time);
      hours.push(iso(time).slice(0, 13));
    }
    const left = ['2031-05-16T23', '2031-05-17T01'].concat(hours.filter((hour) => hour > '2031-05-18T12'));
    const first = await asOf(now);
    expect(first.before).toEqual(hours);
    expect(first.left).toEqual(left);
    expect((await asOf(now)).left).toEqual(left);
    const daily = ['2031-05-16T23', '2031-05-17T01', '2031-05-18T23', '2031-05-19T23', '2031-05-20T12'];
    expect((await asOf(now + 3 * DAY_MS)).left).toEqual(daily);
    // 400 days after the 18th the sample of the 17th is what held until then.
    expect((await asOf(Date.UTC(2031, 4, 18, 12) + 400 * DAY_MS)).left).toEqual(daily.slice(1));
    expect((await asOf(now + 403 * DAY_MS)).left).toEqual(['2031-05-20T12']);
    expect((await asOf(now + 900 * DAY_MS)).left).toEqual(['2031-05-20T12']);
    await sampleAt(now + 900 * DAY_MS);
    expect((await asOf(now + 900 * DAY_MS)).before).toEqual(['2031-05-20T12']);
  });

  it('are thinned in steps of a bounded size, however many are due', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => server.api('file-management')));
    const began = Date.UTC(2035, 0, 1);
    for (let hour = 0; hour < 100; hour++) {
      await Promise.all(tenants.map((one) => add(0, one)));
      await sampleAt(began + hour * HOUR_MS);
    }
    const database = allRowsOf('no API shows how many rows a statement changes', server) as any;
    const execute = database.$executeRaw;
    const changes: number[] = [];
    database.$executeRaw = async (...given: unknown[]) => {
      const changed = await execute.apply(database, given);
      changes.push(changed);
      return changed;
    };
    await sampler.thin(new Date(began + 20 * DAY_MS)).finally(() => (database.$executeRaw = execute));
    expect(Math.max(...changes)).toBeLessThanOrEqual(500);
    const where = { at: { gte: new Date(began) }, fileSize: 0 };
    expect(await allRowsOf('no API shows which samples are left', server).storageSample.count({ where })).toBe(
      tenants.length * 5,
    );
  });

  it('are taken by the job once an hour', async () => {
    await add(9);
    const { signal } = new AbortController();
    const before = hourOf(Date.now());
    await work(signal);
    await add(1);
    await work(signal);
    const after = hourOf(Date.now());
    const [[at, size, count], ...others] = (await samples()) as [[string, number, number]];
    expect([before, after].map(iso)).toContain(at);
    expect([size, count]).toEqual([9, 1]);
    if (before === after) expect(others).toEqual([]);
  });
});
