import { Quota } from '../../src/common/tenants/quota.js';

/** Something that is stored, as a database would have it: what is added is there a moment later. */
class Store {
  stored = 0;
  counts = 0;
  readonly quota = new Quota({
    count: async () => {
      this.counts++;
      await this.moment();
      return this.stored;
    },
    refusal: (limit, used, amount) => new Error(`${limit} ${used} ${amount}`),
  });

  add = (limit: number, amount = 1, fails = false) =>
    this.quota.within('tenant', { limit, amount }, async () => {
      await this.moment();
      if (fails) throw new Error('failed');
      this.stored += amount;
      await this.moment();
    });

  private moment = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
}

const outcomes = async (work: Promise<void>[]) => {
  const settled = await Promise.allSettled(work);
  const refused = settled.filter(({ status }) => status === 'rejected').length;
  return { done: settled.length - refused, refused };
};

describe('a quota', () => {
  it('is exact however many requests run concurrently', async () => {
    const store = new Store();
    expect(await outcomes(Array.from({ length: 500 }, () => store.add(100)))).toEqual({ done: 100, refused: 400 });
    expect(store.stored).toBe(100);
    expect(store.counts).toBeLessThan(20); // not one for each
  });

  it('has room again at once for what was removed', async () => {
    const store = new Store();
    await Promise.all(Array.from({ length: 10 }, () => store.add(10)));
    await expect(store.add(10)).rejects.toThrow('10 10 1');
    store.stored -= 2;
    expect(await outcomes(Array.from({ length: 5 }, () => store.add(10)))).toEqual({ done: 2, refused: 3 });
  });

  it('does not count failures', async () => {
    const store = new Store();
    const work = Array.from({ length: 100 }, (_, index) => store.add(50, 1, index % 2 === 1));
    await Promise.allSettled(work);
    await Promise.all(Array.from({ length: 50 - store.stored }, () => store.add(50)));
    expect(store.stored).toBe(50);
    await expect(store.add(50)).rejects.toThrow('50 50 1');
  });

  it('allows part of an addition if its caller accepts that, exactly however many run concurrently', async () => {
    const store = new Store();
    const part = () =>
      store.quota.upTo('tenant', { limit: 100, amount: 30, least: 1 }, async (allowed, refusal) => {
        expect(allowed < 30).toBe(refusal !== undefined);
        store.stored += allowed;
        return allowed;
      });
    const allowed = await Promise.all(Array.from({ length: 10 }, part));
    expect(allowed.reduce((sum, one) => sum + one)).toBe(100);
    expect(store.stored).toBe(100);
  });

  it('counts amounts, allows additions of nothing, and does nothing without a limit', async () => {
    const store = new Store();
    await store.add(Infinity, 1_000);
    await store.add(10, 0);
    await store.add(10, -990);
    expect([store.stored, store.counts]).toEqual([10, 0]);
    await store.add(15, 5);
    await expect(store.add(15, 1)).rejects.toThrow('15 15 1');
  });

  it('reserves for long operations, and refuses others meanwhile without waiting', async () => {
    const store = new Store();
    let finish!: () => void;
    const long = store.quota.within('tenant', { limit: 10, amount: 8 }, () => new Promise<void>((resolve) => (finish = resolve)));
    await expect(store.add(10, 3)).rejects.toThrow('10 8 3');
    await store.add(10, 2);
    finish();
    await long;
  });

  it('fails with the count, and counts again for the next', async () => {
    let broken = true;
    const quota = new Quota({
      count: () => (broken ? Promise.reject(new Error('away')) : Promise.resolve(0)),
      refusal: () => new Error('refused'),
    });
    const add = () => quota.within('tenant', { limit: 1, amount: 1 }, async () => 'added');
    expect((await Promise.allSettled([add(), add()])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect(await add()).toBe('added');
  });
});
