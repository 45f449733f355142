import { isId, lowestIdAt, timeOfId, uuidv7 } from '../../src/common/base/ids.js';

describe('an id', () => {
  test('sorts in the order of creation within a process, also within a millisecond, and is unique', () => {
    const made = Array.from({ length: 100_000 }, uuidv7);

    expect(made.every(isId)).toBe(true);
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
  });

  test('contains its creation time', () => {
    const before = Date.now();
    const id = uuidv7();

    expect(timeOfId(id)).toBeGreaterThanOrEqual(before);
    expect(timeOfId(id)).toBeLessThanOrEqual(Date.now());
    expect(lowestIdAt(timeOfId(id)) <= id && id < lowestIdAt(timeOfId(id) + 1)).toBe(true);
  });

  test('ends in 48 random bits, none of which is constant', () => {
    const bits = Array.from({ length: 200 }, () => BigInt(`0x${uuidv7().slice(24)}`));
    const ones = bits.reduce((all, one) => all | one, 0n);
    const zeros = bits.reduce((all, one) => all & one, ones);

    expect([ones, zeros]).toEqual([0xffff_ffff_ffffn, 0n]);
  });
});
