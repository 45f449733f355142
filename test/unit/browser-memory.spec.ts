import { browserToStop } from '../../src/modules/document-rendering/pdf/browser-memory.js';

describe('the memory of all browsers together', () => {
  const of = (tenantId: string, memoryBytes: number) => ({ tenantId, memoryBytes });

  it('stops no browser below its limit', () => {
    expect(browserToStop([of('a', 600), of('b', 400)], 1_000)).toBeUndefined();
    expect(browserToStop([], 0)).toBeUndefined();
  });

  it('over its limit stops the largest browser of the tenant that uses the most', () => {
    const [small, large] = [of('a', 300), of('a', 400)];
    expect(browserToStop([small, of('b', 500), large], 1_000)).toBe(large);
    expect(browserToStop([of('b', 10), large, small], 700)).toBe(large);
  });
});
