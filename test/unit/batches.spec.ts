import { batches } from '../../src/common/queues/batches.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('what is asked for while a batch is under way is one batch', async () => {
  const loaded: number[][] = [];
  const ends: (() => void)[] = [];
  const loader = batches(async (keys: readonly number[]) => {
    loaded.push([...keys]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return keys.map((key) => key * 2);
  }, 1_000);

  const first = loader.load(1);
  while (ends.length === 0) await turn();
  const others = [];
  for (let key = 2; key <= 5; key++) {
    others.push(loader.load(key));
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

it('a batch that fails does not hold up the next', async () => {
  const loader = batches(async (keys: readonly number[]) => {
    if (keys.includes(13)) throw new Error('unlucky');
    return [...keys];
  }, 2);
  const answers = await Promise.allSettled([13, 1, 2, 3, 4].map((key) => loader.load(key)));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(await loader.load(5)).toBe(5);
});
