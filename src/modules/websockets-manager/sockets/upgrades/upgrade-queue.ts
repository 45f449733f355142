import type { Socket } from 'node:net';

/** Upgrades that are decided at the same time. One look-up serves all of them, and they go on in one turn of the event loop. */
const MAX_UNDER_WAY = 100;
/** Upgrades that begin at once. More would begin one by one, each with look-ups and letters that a round has only once. */
const MAX_AT_ONCE = 10;
/** Clients try again by then. */
const MAX_WAIT_MS = 10_000;

/** How a wait ended: it is the upgrade's turn, its client is gone, or it took too long. */
export type Turn = 'now' | 'gone' | 'late';

/**
 * Lets few upgrades be decided at a time, in the order of their arrival. After a restart thousands of clients connect at once;
 * without this they would all go on in the same turn of the event loop, and other requests would wait for seconds. Upgrades that
 * wait begin together, in a round, once all before them are decided: then each step is one look-up or letter for all of them.
 */
export class UpgradeQueue {
  private underWay = 0;
  private readonly waiting = new Set<(turn: Turn) => void>();

  constructor(
    private readonly maxUnderWay = MAX_UNDER_WAY,
    private readonly maxAtOnce = MAX_AT_ONCE,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /** Call `leave` once the upgrade is decided, if its turn came. */
  enter(socket: Socket): Promise<Turn> | Turn {
    if (this.underWay < this.maxAtOnce && this.waiting.size === 0) {
      this.underWay++;
      return 'now';
    }
    return new Promise((resolve) => {
      const end = (turn: Turn): void => {
        this.waiting.delete(end);
        clearTimeout(timer);
        socket.off('close', onClose);
        resolve(turn);
      };
      const onClose = (): void => end('gone');
      const timer = setTimeout(end, this.maxWaitMs, 'late');
      socket.once('close', onClose);
      this.waiting.add(end);
    });
  }

  /** Begins the next round after the last upgrade of this one. */
  leave(): void {
    this.underWay--;
    if (this.underWay > 0) return;
    const round = [...this.waiting].slice(0, this.maxUnderWay);
    this.underWay = round.length;
    for (const begin of round) begin('now');
  }
}
