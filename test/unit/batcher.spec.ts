import { Batcher } from '../../src/common/scheduling/batcher.js';

interface Item {
  tenant: string;
  length: number;
}

it('a group of writes has an item of each tenant before a second of one that has many', async () => {
  const groups: string[][] = [];
  let release!: () => void;
  const first = new Promise<void>((resolve) => (release = resolve));
  const writes = new Batcher<Item>(
    async (items) => {
      groups.push(items.map(({ tenant }) => tenant));
      if (groups.length === 1) await first;
    },
    {
      concurrency: 1,
      maxLength: 10,
      lengthOf: ({ length }) => length,
      tenantOf: ({ tenant }) => tenant,
      failsTogether: () => false,
    },
  );
  const add = (tenant: string, length = 1) => writes.add({ tenant, length });
  const opening = add('a');
  await new Promise((resolve) => setImmediate(resolve));
  const many = Array.from({ length: 1_000 }, () => add('many'));
  const others = [add('b'), add('c', 4), add('b')];
  release();
  await Promise.all([opening, ...others]);
  expect(groups[0]).toEqual(['a']);
  expect(groups[1]).toEqual(['many', 'b', 'c', 'many', 'b', 'many', 'many']);
  await Promise.all(many);
  expect(groups.flat()).toHaveLength(1_004);
  expect(groups.slice(2, -1).every((group) => group.length === 10)).toBe(true);
});

it('a slow write delays no other, up to the concurrency limit', async () => {
  const under: { items: Item[]; end: () => void }[] = [];
  const writes = new Batcher<Item>((items) => new Promise<void>((end) => under.push({ items, end })), {
    concurrency: 2,
    maxLength: 10,
    lengthOf: ({ length }) => length,
    tenantOf: ({ tenant }) => tenant,
    failsTogether: () => false,
  });
  const until = async (count: number) => {
    while (under.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const first = writes.add({ tenant: 'a', length: 1 });
  await until(1);
  const second = writes.add({ tenant: 'b', length: 1 });
  await until(2);
  const third = writes.add({ tenant: 'c', length: 1 });
  under[1]!.end();
  await second;
  await until(3);
  expect(under.map(({ items }) => items.map(({ tenant }) => tenant))).toEqual([['a'], ['b'], ['c']]);
  for (const { end } of under) end();
  await Promise.all([first, third]);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('items that arrive while a batch runs make one batch', async () => {
  const loaded: number[][] = [];
  const ends: (() => void)[] = [];
  const loader = new Batcher<number, number>(
    async (keys) => {
      loaded.push([...keys]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return keys.map((key) => key * 2);
    },
    { maxLength: 1_000 },
  );

  const first = loader.add(1);
  while (ends.length === 0) await turn();
  const others = [];
  for (let key = 2; key <= 5; key++) {
    others.push(loader.add(key));
    await turn();
  }
  expect(loaded).toEqual([[1]]);
  ends[0]!();
  expect(await first).toBe(2);
  while (ends.length === 1) await turn();
  ends[1]!();
  expect(await Promise.all(others)).toEqual([4, 6, 8, 10]);
  expect(loaded).toEqual([[1], [2, 3, 4, 5]]);
});

it('a batch that fails does not delay the next one', async () => {
  const loader = new Batcher<number, number>(
    async (keys) => {
      if (keys.includes(13)) throw new Error('unlucky');
      return [...keys];
    },
    { maxLength: 2 },
  );
  const answers = await Promise.allSettled([13, 1, 2, 3, 4].map((key) => loader.add(key)));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(await loader.add(5)).toBe(5);
});

it('queued items are flushed at once when the batcher is closed', async () => {
  const flushed: number[][] = [];
  const batcher = new Batcher<number>(async (items) => void flushed.push(items), { maxLength: 2, flushIntervalMs: 60_000 });
  const added = [1, 2, 3].map((item) => batcher.add(item));
  await batcher.close();
  await Promise.all(added);
  expect(flushed).toEqual([[1, 2], [3]]);
});

it('an item that waits for too long is withdrawn, and one being flushed is reported as uncertain', async () => {
  const flushed: number[][] = [];
  const batcher = new Batcher<number>((items) => new Promise(() => void flushed.push(items)), { maxLength: 1, deadlineMs: 20 });
  const messages = await Promise.all([1, 2].map((item) => batcher.add(item).catch(({ message }: Error) => message)));
  expect(messages).toEqual([expect.stringContaining('may have been stored'), expect.stringContaining('nothing was stored')]);
  expect(flushed).toEqual([[1]]);
});

it('an urgent item does not wait for more items, nor do those before it, even behind a running batch', async () => {
  const flushed: number[][] = [];
  const ends: (() => void)[] = [];
  const flush = (items: number[]) => new Promise<void>((end) => (flushed.push(items), ends.push(end)));
  const batcher = new Batcher<number>(flush, { maxLength: 10, flushIntervalMs: 60_000 });
  const until = async (count: number) => {
    while (ends.length < count) await turn();
  };
  void batcher.add(1);
  void batcher.add(2, { isUrgent: true });
  await until(1);
  void batcher.add(3);
  const urgent = batcher.add(4, { isUrgent: true });
  ends[0]!();
  await until(2);
  ends[1]!();
  await urgent;
  expect(flushed).toEqual([
    [1, 2],
    [3, 4],
  ]);
});
