// @nightly postgresql: no SQL of its own
import { SERVICES } from '../src/common/auth/scopes.js';
import { Degraded, Readiness } from '../src/common/health/readiness.js';
import { TestServer } from './support/server.js';

const all = <T>(state: T) => Object.fromEntries(SERVICES.map((service) => [service, state]));

describe('readiness', () => {
  let server: TestServer;
  /** Outcome of the checks that a test added. */
  const faults = new Map<string, () => Promise<unknown>>();
  const runs = new Map<string, number>();
  beforeAll(async () => {
    server = await TestServer.start();
    const readiness = server.app.get(Readiness);
    for (const [name, neededBy] of [
      ['log check', 'document-log'],
      ['node check', 'node'],
    ] as const) {
      readiness.add(name, neededBy, async () => {
        runs.set(name, (runs.get(name) ?? 0) + 1);
        await faults.get(name)?.();
      });
    }
  });
  afterAll(() => server.stop());
  afterEach(() => faults.clear());

  const ask = async (path = '') => {
    const response = await fetch(`${server.address}/health/ready${path}`);
    return { code: response.status, ...((await response.json()) as { status: string; checks: any; services: any }) };
  };
  const codes = async () =>
    Object.fromEntries(await Promise.all(SERVICES.map(async (name) => [name, (await ask(`/${name}`)).code])));

  it('is ok when everything works, including a renderer, and reports each service', async () => {
    const names = ['database', 'disk', 'blob store', 'transfers', 'bus', 'renderer', 'log check', 'node check'];
    await server.ready();
    expect(await ask()).toEqual({
      code: 200,
      status: 'ok',
      checks: Object.fromEntries(names.map((name) => [name, 'ok'])),
      services: all('ok'),
    });
    expect(await codes()).toEqual(all(200));
    expect(await ask('/document-rendering')).toMatchObject({ checks: { database: 'ok', renderer: 'ok' } });
  });

  it('requires no key, and is 404 for a service that does not exist', async () => {
    for (const name of ['mail', 'constructor', '%00', 'Email']) {
      const response = await fetch(`${server.address}/health/ready/${name}`);
      expect([response.status, await response.json()]).toEqual([
        404,
        { code: 'NOT_FOUND', message: `The services are ${SERVICES.join(', ')}` },
      ]);
    }
  });

  it('stays 200 when one service fails, names it, and is 503 for that one alone', async () => {
    faults.set('log check', () => Promise.reject(new Error('gone')));
    expect(await ask()).toMatchObject({
      code: 200,
      status: 'degraded',
      checks: { 'log check': 'unavailable', database: 'ok' },
      services: { ...all('ok'), 'document-log': 'unavailable' },
    });
    expect(await codes()).toEqual({ ...all(200), 'document-log': 503 });
    faults.clear();
    expect(await ask()).toMatchObject({ code: 200, status: 'ok' });
  });

  it('is 503 for all when a dependency of the node itself fails, and degraded when it works in part', async () => {
    faults.set('node check', () => Promise.reject(new Error('gone')));
    expect(await ask()).toMatchObject({ code: 503, status: 'unavailable', services: all('unavailable') });
    expect(await codes()).toEqual(all(503));
    faults.set('node check', () => Promise.reject(new Degraded('nearly full')));
    expect(await ask()).toMatchObject({ code: 200, status: 'degraded', services: all('degraded') });
    expect(await codes()).toEqual(all(200));
  });

  it('waits 2 s for a check that does not answer, delays no other service, and runs the check once for concurrent requests', async () => {
    await ask();
    runs.clear();
    faults.set('log check', () => new Promise(() => undefined));
    const begun = performance.now();
    let others = 0;
    const asking = Promise.all(Array.from({ length: 20 }, () => ask()));
    expect((await ask('/websockets-manager').finally(() => (others = performance.now() - begun))).code).toBe(200);
    const answers = await asking;
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_990);
    expect(others).toBeLessThan(1_500);
    expect(new Set(answers.map(({ checks }) => checks['log check']))).toEqual(new Set(['unavailable']));
    expect(runs.get('log check')).toBe(1);
  });

  it('logs each change, not each request', async () => {
    await ask();
    const before = server.logLines.length;
    faults.set('log check', () => Promise.reject(new Error('gone for the log')));
    for (let i = 0; i < 5; i++) await ask();
    faults.clear();
    for (let i = 0; i < 5; i++) await ask();
    const lines = server.logLines.slice(before).map((line) => JSON.parse(line));
    expect(lines.filter(({ check }) => check === 'log check').map(({ msg }) => msg)).toEqual(['not ready', 'ready again']);
  });
});
