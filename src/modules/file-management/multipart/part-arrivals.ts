import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../../common/base/app-error.js';

/** Maximum wait of a completion for parts still arriving. */
const TIMEOUT_MS = 5_000;

/** Refuses parts on this node while their upload is being joined. Some stores, such as Swift, would replace a joined part by a late one. */
export class PartArrivals {
  private readonly arriving = new Map<string, Set<Promise<unknown>>>();
  private readonly joining = new Map<string, number>();

  /** Stores a part. @throws CONFLICT while its upload is being joined */
  async arrive<T>(uploadId: string, store: () => Promise<T>): Promise<T> {
    if (this.joining.has(uploadId)) {
      throw new AppError('CONFLICT', 'The upload is being completed; it accepts no more parts');
    }
    const others = this.arriving.get(uploadId) ?? new Set();
    this.arriving.set(uploadId, others);
    const part = store();
    others.add(part);
    try {
      return await part;
    } finally {
      others.delete(part);
      if (others.size === 0) this.arriving.delete(uploadId);
    }
  }

  /** Joins an upload once all arriving parts are stored. @throws CONFLICT if parts are still arriving after 5 s */
  async join<T>(uploadId: string, join: () => Promise<T>): Promise<T> {
    this.joining.set(uploadId, (this.joining.get(uploadId) ?? 0) + 1);
    try {
      const arrived = Promise.allSettled(this.arriving.get(uploadId) ?? []);
      const isLate = await Promise.race([arrived.then(() => false), setTimeout(TIMEOUT_MS, true, { ref: false })]);
      if (isLate) throw new AppError('CONFLICT', 'Parts of the upload are still arriving; complete it once they have arrived');
      return await join();
    } finally {
      const left = this.joining.get(uploadId)! - 1;
      if (left > 0) this.joining.set(uploadId, left);
      else this.joining.delete(uploadId);
    }
  }
}
