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
