import type { Socket } from 'node:net';

/** Upgrades that are decided at the same time. One look-up serves all of them, and they go on in one turn of the event loop. */
const MAX_UNDER_WAY = 100;
/** Clients try again by then. */
const MAX_WAIT_MS = 10_000;

/** How a wait ended: it is the upgrade's turn, its client is gone, or it took too long. */
export type Turn = 'now' | 'gone' | 'late';

/**
 * Lets few upgrades be decided at a time, in the order of their arrival. After a restart thousands of clients connect at once;
 * without this they would all go on in the same turn of the event loop, and other requests would wait for seconds.
 */
export class UpgradeQueue {
  private underWay = 0;
  private readonly waiting = new Set<(turn: Turn) => void>();

  constructor(
    private readonly maxUnderWay = MAX_UNDER_WAY,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /** Call `leave` once the upgrade is decided, if its turn came. */
  enter(socket: Socket): Promise<Turn> | Turn {
    if (this.underWay < this.maxUnderWay) {
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

  /** Passes the turn to the first that waits. */
  leave(): void {
    const [first] = this.waiting;
    if (first) first('now');
    else this.underWay--;
  }
}
