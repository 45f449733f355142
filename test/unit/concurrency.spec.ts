import { setImmediate as turn } from 'node:timers/promises';
import { sharedByKey } from '../../src/common/scheduling/concurrency.js';

/** A load whose calls end when they are told to. */
function heldLoads() {
  const calls: { key: string; end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const load = (key: string) => new Promise<string>((end, fail) => calls.push({ key, end, fail }));
  return { calls, get: sharedByKey(load) };
}

it('callers who ask during a load share the next load, and none gets a value read before its request', async () => {
  const { calls, get } = heldLoads();
  const first = get('a');
  await turn();
  const later = [get('a'), get('a'), get('a')];
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]!.end('before');
  await turn();
  expect(calls).toHaveLength(2);
  calls[1]!.end('after');
  expect(await Promise.all([first, ...later])).toEqual(['before', 'after', 'after', 'after']);
});

it('a key does not wait for another, and a failed load delays nobody', async () => {
  const { calls, get } = heldLoads();
  const [failing, other] = [get('a'), get('b')];
  await turn();
  const next = get('a');
  calls[0]!.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  calls[1]!.end('of b');
  expect(await other).toBe('of b');
  await turn();
  calls[2]!.end('of a');
  expect([calls.map(({ key }) => key), await next]).toEqual([['a', 'b', 'a'], 'of a']);
});
