import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../base/database-faults.js';

/** Database leases, by which one of all nodes does a piece of work alone. A lease expires after its node dies. */
@Injectable()
export class Leases {
  private readonly holder = randomUUID();

  constructor(private readonly database: Database) {}

  /** Acquires or renews a lease. Returns whether this node now holds it. */
  async take(name: string, lifetimeMs: number): Promise<boolean> {
    const now = new Date();
    const data = { holder: this.holder, expiresAt: new Date(now.getTime() + lifetimeMs) };
    const free = { OR: [{ holder: this.holder }, { expiresAt: { lte: now } }] };
    const { count } = await this.database.lease.updateMany({ where: { name, ...free }, data });
    if (count > 0) return true;
    if (await this.database.lease.findUnique({ where: { name } })) return false;
    try {
      await this.database.lease.create({ data: { name, ...data } });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Releases a lease, so that other nodes need not wait until it expires. */
  async release(name: string): Promise<void> {
    await this.database.lease.deleteMany({ where: { name, holder: this.holder } });
  }
}
