import { TenantSemaphore } from '../../src/common/scheduling/tenant-semaphore.js';

const LIMITS = { maxWaitMs: 2_000, maxWaiting: 1_000, maxWaitingOfTenant: 250, busy: 'busy' };
const poolOf = (capacity: number, share: number) => new TenantSemaphore({ ...LIMITS, capacity, share });

describe('memory shared by tenants', () => {
  const settledOf = async (promise: Promise<void>): Promise<string> => {
    const settled = promise.then(
      () => 'taken',
      ({ code }: { code: string }) => code,
    );
    return Promise.race([settled, new Promise<string>((resolve) => setImmediate(() => resolve('waits')))]);
  };

  it('leaves room for others, whatever one tenant requests', async () => {
    const pool = poolOf(100, 50);
    expect(pool.tryTake('a', 50)).toBe(true);
    expect(pool.tryTake('a', 1)).toBe(false);
    expect(pool.tryTake('b', 50)).toBe(true);
    expect(pool.held).toBe(100);
  });

  it('is granted in order of arrival, as soon as it is released', async () => {
    const pool = poolOf(100, 100);
    expect(pool.tryTake('a', 80)).toBe(true);
    const served: string[] = [];
    const first = pool.take('a', 60).then(() => served.push('first'));
    const second = pool.take('a', 20).then(() => served.push('second'));
    expect(await settledOf(pool.take('a', 1))).toBe('waits');
    expect(pool.tryTake('a', 1)).toBe(false);
    pool.release('a', 80);
    await Promise.all([first, second]);
    expect(served).toEqual(['first', 'second']);
    expect(pool.held).toBe(81);
  });

  it('goes first to the tenant that holds least, and skips one that has used its share', async () => {
    const pool = poolOf(100, 60);
    pool.tryTake('a', 60);
    pool.tryTake('b', 40);
    const ofA = pool.take('a', 10);
    const ofB = pool.take('b', 10);
    const ofC = pool.take('c', 10);
    pool.release('b', 10);
    expect(await settledOf(ofC)).toBe('taken');
    expect(await settledOf(ofB)).toBe('waits');
    pool.release('b', 10);
    expect(await settledOf(ofB)).toBe('taken');
    expect(await settledOf(ofA)).toBe('waits');
    pool.release('a', 60);
    expect(await settledOf(ofA)).toBe('taken');
  });

  it('is refused after 2 s, and refused requests hold none', async () => {
    const pool = poolOf(100, 100);
    pool.tryTake('a', 90);
    const tooLate = pool.take('b', 50);
    const behind = pool.take('b', 10);
    await expect(tooLate).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '2' } });
    await behind;
    expect(pool.held).toBe(100);
  });

  it('is released again when several hold part of what they need and wait for each other', async () => {
    const pool = poolOf(100, 100);
    const operation = async (name: string): Promise<string> => {
      let heldBytes = 0;
      try {
        for (; heldBytes < 100; heldBytes += 50) await pool.take(name, 50, { holdsSome: heldBytes > 0 });
        return 'done';
      } catch {
        return 'refused';
      } finally {
        pool.release(name, heldBytes);
      }
    };
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(operation))).toContain('done');
    expect(pool.held).toBe(0);
  });

  it('skips callers that left while they waited', async () => {
    const pool = poolOf(1, 1);
    pool.tryTake('a', 1);
    const leaving = new AbortController();
    const left = pool.take('a', 1, { signal: leaving.signal });
    const next = pool.take('a', 1);
    leaving.abort();
    await expect(left).rejects.toBe(leaving.signal.reason);
    pool.release('a', 1);
    await next;
    expect(pool.held).toBe(1);
  });

  it('has a bounded queue for each tenant', async () => {
    const pool = poolOf(100, 100);
    pool.tryTake('a', 100);
    const waiting = Array.from({ length: 300 }, () => settledOf(pool.take('a', 1)));
    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter((outcome) => outcome === 'waits')).toHaveLength(250);
    const other = pool.take('b', 1);
    expect(await settledOf(other)).toBe('waits');
    for (let i = 0; i < 3; i++) pool.release('a', 100);
    await other;
  });
});
