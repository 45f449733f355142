import { EventEmitter } from 'node:events';
import { UpgradeQueue } from '../../src/modules/websockets-manager/sockets/upgrades/upgrade-queue.js';

const socket = () => new EventEmitter() as never;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('upgrades that wait', () => {
  it('have their turns in the order of their arrival, so many at a time', async () => {
    const queue = new UpgradeQueue(2, 50);
    const began: number[] = [];
    for (let number = 0; number < 5; number++) void Promise.resolve(queue.enter(socket())).then(() => began.push(number));
    await turn();
    expect(began).toEqual([0, 1]);
    queue.leave();
    await turn();
    expect(began).toEqual([0, 1, 2]);
    for (let left = 0; left < 4; left++) queue.leave();
    await turn();
    expect(began).toEqual([0, 1, 2, 3, 4]);
    expect([queue.enter(socket()), queue.enter(socket())]).toEqual(['now', 'now']);
    expect(queue.enter(socket())).not.toBe('now');
  });

  it('give their place to the next when their client is gone', async () => {
    const queue = new UpgradeQueue(1);
    queue.enter(socket());
    const gone = new EventEmitter();
    const [first, second] = [queue.enter(gone as never), queue.enter(socket())];
    gone.emit('close');
    expect(await first).toBe('gone');
    queue.leave();
    expect(await second).toBe('now');
  });

  it('end after a while', async () => {
    const queue = new UpgradeQueue(1, 20);
    queue.enter(socket());
    const late = new EventEmitter();
    expect(await queue.enter(late as never)).toBe('late');
    expect(late.listenerCount('close')).toBe(0);
    queue.leave();
    expect(queue.enter(socket())).toBe('now');
  });
});
