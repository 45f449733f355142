import { type IdempotencyKey, keyOf } from '../../src/common/idempotency/idempotency-key.js';
import { type FirstUse, once } from '../../src/common/idempotency/once.js';

/** Keeps keys in memory: the first to store one wins, as by a unique index. */
class Orders {
  readonly made: string[] = [];
  readonly keys = new Map<string, FirstUse<string>>();

  order(text: string, key?: string, meanwhile?: () => unknown) {
    const columns = keyOf(key, { text });
    return once('record', columns, {
      find: async ({ idempotencyKey }: IdempotencyKey) => this.keys.get(idempotencyKey),
      first: async () => {
        await meanwhile?.();
        meanwhile = undefined;
        if (columns.idempotencyKey !== null) {
          if (this.keys.has(columns.idempotencyKey)) return undefined;
          this.keys.set(columns.idempotencyKey, { inputHash: columns.inputHash, result: text });
        }
        this.made.push(text);
        return `made ${text}`;
      },
      repeat: (first) => `repeated ${first}`,
    });
  }
}

describe('an operation with an idempotency key', () => {
  it('happens once; one without a key happens each time', async () => {
    const orders = new Orders();
    expect(await orders.order('tea', 'a')).toBe('made tea');
    expect(await orders.order('tea', 'a')).toBe('repeated tea');
    expect(await orders.order('tea')).toBe('made tea');
    expect(await orders.order('tea')).toBe('made tea');
    expect(orders.made).toHaveLength(3);
  });

  it('is a conflict with other content', async () => {
    const orders = new Orders();
    await orders.order('tea', 'a');
    await expect(orders.order('milk', 'a')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'input.idempotencyKey: was used before with other content; use a new key for a new record',
    });
    expect(orders.made).toEqual(['tea']);
  });

  it('is judged again when another use stored the key meanwhile', async () => {
    const orders = new Orders();
    expect(await orders.order('tea', 'a', () => orders.order('tea', 'a'))).toBe('repeated tea');
    await expect(orders.order('tea', 'b', () => orders.order('milk', 'b'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(orders.made).toEqual(['tea', 'milk']);
  });
});
