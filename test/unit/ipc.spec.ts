import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { request, respond } from '../../src/common/workers/ipc.js';

/** Both ends of a channel between two processes, which passes each message on in a later turn of the event loop. */
function channelEnds(): [Worker, Worker] {
  const ends = [new EventEmitter(), new EventEmitter()] as const;
  return ends.map((end, index) =>
    Object.assign(end, {
      isConnected: () => true,
      send: (message: unknown) => void setImmediate(() => ends[1 - index]!.emit('message', structuredClone(message))),
    }),
  ) as unknown as [Worker, Worker];
}

describe('a request between processes', () => {
  it('is not answered by the late response to an earlier request of the same name', async () => {
    const [primary, worker] = channelEnds();
    const answers: ((response: string) => void)[] = [];
    respond(worker, 'figures', () => new Promise((resolve) => answers.push(resolve)));
    expect(await request(primary, 'figures', 20)).toBeUndefined();
    const second = request(primary, 'figures', 60_000);
    while (answers.length < 2) await new Promise(setImmediate);
    answers[0]!('old');
    await new Promise((resolve) => setTimeout(resolve, 20));
    answers[1]!('new');
    expect(await second).toBe('new');
  });
});
