import { EventEmitter } from 'node:events';
import type { ExecutionResult } from 'graphql';
import { memoryPool } from '../../src/common/scheduling/memory-budget.js';
import type { TenantSemaphore } from '../../src/common/scheduling/tenant-semaphore.js';
import { OperationBudget } from '../../src/common/scheduling/operation-budget.js';
import { graphql } from '../support/schemas.js';
import { execute } from '../support/execution.js';

const MIB = 1024 * 1024;
const TYPES = `
  type Query { items(count: Int!): [Item] text(size: Int!): String small: String hanging: String refused: [Item] }
  type Mutation { hang: String after: String }
  type Item { name: String text: String refused: String }
`;

/** One operation on a schema of its own, as the endpoints run it. */
class Operation extends EventEmitter {
  closed = false;
  readonly started: string[] = [];
  readonly budget: OperationBudget;

  constructor(pool: TenantSemaphore, maxRunMs?: number) {
    super();
    this.budget = new OperationBudget(pool, 'a tenant', this as never, maxRunMs);
  }

  async run(source: string, resolvers: Record<string, () => unknown> = {}): Promise<ExecutionResult> {
    const schema = graphql.buildSchema(TYPES);
    const roots: Record<string, (_: unknown, args: any) => unknown> = {
      items: (_, { count }) => Array.from({ length: count }, (_, i) => ({ name: `item ${i}`, ...resolvers })),
      text: async (_, { size }) => 'x'.repeat(size),
      small: () => 'small',
      hanging: () => new Promise(() => undefined),
      hang: () => new Promise(() => undefined),
      after: () => void this.started.push('after'),
    };
    for (const type of [schema.getQueryType()!, schema.getMutationType()!]) {
      for (const field of Object.values(type.getFields())) field.resolve = roots[field.name];
    }
    this.budget.start();
    const result = await execute({ schema, document: graphql.parse(source), context: { budget: this.budget, caller: {} } });
    this.budget.finish();
    return result;
  }

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const codes = ({ errors = [] }: ExecutionResult) =>
  errors.map(({ originalError }) => (originalError as Error & { code: string }).code);

describe('the budget of an operation', () => {
  let pool: TenantSemaphore;
  beforeEach(() => void (pool = memoryPool(256 * MIB, 64 * MIB)));

  const aliases = (count: number, field: string) => Array.from({ length: count }, (_, i) => `t${i}:${field}`).join(' ');

  it('stops an operation whose answer exceeds 64 MiB, with one error for each incomplete root field', async () => {
    const operation = new Operation(pool);
    const result = await operation.run(`{small items(count:1000){${aliases(100, 'text')}}}`, { text: () => 'x'.repeat(2 ** 16) });
    expect(codes(result)).toEqual(['PAYLOAD_TOO_LARGE']);
    expect(result.errors![0]!.path![0]).toBe('items');
    expect(result.data).toEqual({ small: 'small', items: null });
    operation.close();
    expect(pool.held).toBe(0);
  });

  it('counts fields without text too, so that no answer has millions of them', async () => {
    const operation = new Operation(pool);
    const names = `{items(count:11000){${aliases(100, 'name')}}}`;
    expect(codes(await operation.run(names))).toEqual(['PAYLOAD_TOO_LARGE']);
    operation.close();
    expect(pool.held).toBe(0);
  });

  it('stops an operation in which more than 1,000 fields fail', async () => {
    const refused = () => {
      throw new Error('refused');
    };
    const result = await new Operation(pool).run('{items(count:5000){refused}}', { refused });
    expect(result.errors).toHaveLength(1_001);
    expect(codes(result).at(-1)).toBe('PAYLOAD_TOO_LARGE');
    expect(result.data).toEqual({ items: null });
  });

  it('holds the larger of read and answered bytes, until the connection has the answer', async () => {
    const operation = new Operation(pool);
    await operation.budget.reserve(3 * MIB);
    expect(pool.held).toBeGreaterThan(2.5 * MIB);
    await operation.run(`{text(size:${10 * MIB})}`);
    expect(pool.held).toBeGreaterThan(9.5 * MIB);
    expect(pool.held).toBeLessThan(12 * MIB);
    operation.close();
    expect(pool.held).toBe(0);
  });

  it('refuses to hold more than 64 MiB of rows', async () => {
    const operation = new Operation(pool);
    await operation.budget.reserve(60 * MIB);
    await expect(operation.budget.reserve(5 * MIB)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    operation.budget.finish();
    operation.close();
    expect(pool.held).toBe(0);
  });

  it('makes an operation wait for memory, and continue when there is some', async () => {
    const scarce = memoryPool(8 * MIB, 8 * MIB);
    scarce.tryTake('another tenant', 8 * MIB);
    const operation = new Operation(scarce);
    const running = operation.run('{items(count:100){text}}', { text: () => 'x'.repeat(2 ** 16) });
    while (!operation.budget.waiting) await new Promise((resolve) => setImmediate(resolve));
    scarce.release('another tenant', 8 * MIB);
    const { data, errors } = await running;
    expect(errors).toBeUndefined();
    expect((data!.items as { text: string }[]).map(({ text }) => text.length)).toEqual(Array(100).fill(2 ** 16));
    operation.close();
    expect(scarce.held).toBe(0);
  });

  it('stops an operation for which there is no memory with SERVICE_UNAVAILABLE, and releases what it held', async () => {
    const scarce = memoryPool(8 * MIB, 8 * MIB);
    scarce.tryTake('another tenant', 4 * MIB);
    const operation = new Operation(scarce);
    const result = await operation.run('{items(count:100){text}}', { text: () => 'x'.repeat(2 ** 16) });
    expect(codes(result)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(result.data).toEqual({ items: null });
    operation.close();
    expect(scarce.held).toBe(4 * MIB);
  });

  it('stops an operation at its deadline, whatever a field waits for, and starts no other field', async () => {
    const query = await new Operation(pool, 50).run('{small hanging}');
    expect(codes(query)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(query.data).toEqual({ small: 'small', hanging: null });
    const operation = new Operation(pool, 50);
    expect(codes(await operation.run('mutation{hang after}'))).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
    expect(operation.started).toEqual([]);
  });

  it('is released at once when the connection closed before the operation ended', async () => {
    const operation = new Operation(pool, 50);
    await operation.budget.reserve(3 * MIB);
    operation.close();
    await operation.run('{hanging}');
    expect(pool.held).toBe(0);
    await expect(operation.budget.reserve(1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('resolves a long list in slices, between which other work runs', async () => {
    let turns = 0;
    let done = false;
    const count = () => setImmediate(() => ++turns && !done && count());
    count();
    const slow = () => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      return 'slow';
    };
    const { data } = await new Operation(pool).run('{items(count:200){name text}}', { text: slow });
    done = true;
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(data!.items).toEqual(Array.from({ length: 200 }, (_, i) => ({ name: `item ${i}`, text: 'slow' })));
  });
});
