import { isId, lowestIdAt, timeOfId, uuidv7 } from '../../src/common/base/ids.js';

describe('Ids', () => {
  test('sort in the order in which one process made them, however many within a millisecond, and are never the same', () => {
    const made = Array.from({ length: 100_000 }, uuidv7);

    expect(made.every(isId)).toBe(true);
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
  });

  test('tell when they were made', () => {
    const before = Date.now();
    const id = uuidv7();

    expect(timeOfId(id)).toBeGreaterThanOrEqual(before);
    expect(timeOfId(id)).toBeLessThanOrEqual(Date.now());
    expect(lowestIdAt(timeOfId(id)) <= id && id < lowestIdAt(timeOfId(id) + 1)).toBe(true);
  });

  test('end in 48 random bits: none of them is the same for all', () => {
    const bits = Array.from({ length: 200 }, () => BigInt(`0x${uuidv7().slice(24)}`));
    const ones = bits.reduce((all, one) => all | one, 0n);
    const zeros = bits.reduce((all, one) => all & one, ones);

    expect([ones, zeros]).toEqual([0xffff_ffff_ffffn, 0n]);
  });
});
