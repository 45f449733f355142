import { GroupedWrites } from '../../src/common/database/grouped-writes.js';

interface Item {
  tenant: string;
  length: number;
}

it('writes in groups hold an item of each tenant before a second of one that has many', async () => {
  const groups: string[][] = [];
  let release!: () => void;
  const first = new Promise<void>((resolve) => (release = resolve));
  const writes = new GroupedWrites<Item>(
    async (items) => {
      groups.push(items.map(({ tenant }) => tenant));
      if (groups.length === 1) await first;
    },
    {
      maxRunning: 1,
      maxLength: 10,
      lengthOf: ({ length }) => length,
      tenantOf: ({ tenant }) => tenant,
      isCommonFault: () => false,
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

it('a write that takes long holds up no other, up to the most that may run', async () => {
  const under: { items: Item[]; end: () => void }[] = [];
  const writes = new GroupedWrites<Item>((items) => new Promise<void>((end) => under.push({ items, end })), {
    maxRunning: 2,
    maxLength: 10,
    lengthOf: ({ length }) => length,
    tenantOf: ({ tenant }) => tenant,
    isCommonFault: () => false,
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
