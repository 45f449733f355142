import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../database/database-faults.js';
import { PrismaService } from '../database/prisma.service.js';

export interface Lease {
  name: string;
  holder: string;
  expiresAt: Date;
}

/** Rights to do a piece of work alone, among all nodes of one database. A right ends by itself when its node dies. */
@Injectable()
export class Leases {
  private readonly holder = randomUUID();

  constructor(private readonly prisma: PrismaService) {}

  /** Takes or renews a lease. Answers with whether it is ours now. */
  async take(name: string, lifetimeMs: number): Promise<boolean> {
    const now = new Date();
    const data = { holder: this.holder, expiresAt: new Date(now.getTime() + lifetimeMs) };
    const free = { OR: [{ holder: this.holder }, { expiresAt: { lte: now } }] };
    const { count } = await this.prisma.lease.updateMany({ where: { name, ...free }, data });
    if (count > 0) return true;
    if (await this.prisma.lease.findUnique({ where: { name } })) return false;
    try {
      await this.prisma.lease.create({ data: { name, ...data } });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Those that other nodes have, or left when they died. */
  ofOthers(): Promise<Lease[]> {
    return this.prisma.lease.findMany({ where: { holder: { not: this.holder } } });
  }

  /** Gives a lease back, so that another node need not wait for its end. */
  async release(name: string): Promise<void> {
    await this.prisma.lease.deleteMany({ where: { name, holder: this.holder } });
  }
}
