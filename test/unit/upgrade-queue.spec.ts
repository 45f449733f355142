import { EventEmitter } from 'node:events';
import { UpgradeQueue } from '../../src/modules/websockets-manager/sockets/upgrades/upgrade-queue.js';

const socket = () => new EventEmitter() as never;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('upgrades that wait', () => {
  it('begin in rounds, in the order of their arrival: the next one once all of the last are decided', async () => {
    const queue = new UpgradeQueue(3, 2, 50);
    const began: number[] = [];
    for (let number = 0; number < 7; number++) void Promise.resolve(queue.enter(socket())).then(() => began.push(number));
    await turn();
    expect(began).toEqual([0, 1]);
    queue.leave();
    await turn();
    expect(began).toEqual([0, 1]);
    queue.leave();
    await turn();
    expect(began).toEqual([0, 1, 2, 3, 4]);
    for (let left = 0; left < 3; left++) queue.leave();
    await turn();
    expect(began).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (let left = 0; left < 2; left++) queue.leave();
    expect([queue.enter(socket()), queue.enter(socket())]).toEqual(['now', 'now']);
    expect(queue.enter(socket())).not.toBe('now');
  });

  it('wait behind those that came before, also where there is room', async () => {
    const queue = new UpgradeQueue(3, 2);
    for (let count = 0; count < 2; count++) queue.enter(socket());
    const waits = queue.enter(socket());
    queue.leave();
    expect(queue.enter(socket())).not.toBe('now');
    queue.leave();
    expect(await waits).toBe('now');
  });

  it('give their place to the next when their client is gone', async () => {
    const queue = new UpgradeQueue(1, 1);
    queue.enter(socket());
    const gone = new EventEmitter();
    const [first, second] = [queue.enter(gone as never), queue.enter(socket())];
    gone.emit('close');
    expect(await first).toBe('gone');
    queue.leave();
    expect(await second).toBe('now');
  });

  it('end after a while', async () => {
    const queue = new UpgradeQueue(1, 1, 20);
    queue.enter(socket());
    const late = new EventEmitter();
    expect(await queue.enter(late as never)).toBe('late');
    expect(late.listenerCount('close')).toBe(0);
    queue.leave();
    expect(queue.enter(socket())).toBe('now');
  });
});
