import { Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../logging/log.js';

const CHECK_TIMEOUT_MS = 2_000;

export type HealthCheck = () => Promise<unknown>;

export interface Health {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, 'ok' | 'degraded' | 'unavailable'>;
}

interface Dependency {
  check: HealthCheck;
  /** Without it the node still does useful work, and stays in service. */
  degrades?: boolean;
}

/** Whether this node can do its work: every part it cannot work without answers within 2 s. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, Dependency>();
  private stopping = false;

  constructor(
    prisma: PrismaService,
    private readonly log: Log,
  ) {
    this.add('database', () => prisma.$queryRaw`SELECT 1`);
  }

  /** A service adds what it depends on, such as its store. */
  add(name: string, check: HealthCheck, { degrades }: { degrades?: boolean } = {}): void {
    this.checks.set(name, { check, degrades });
  }

  /** From now on the node asks for no new work. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  async read(): Promise<Health> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, dependency]) => [name, await this.run(name, dependency)] as const),
    );
    const found = new Set(results.map(([, result]) => result));
    const status = this.stopping || found.has('unavailable') ? 'unavailable' : found.has('degraded') ? 'degraded' : 'ok';
    return { status, checks: Object.fromEntries(results) };
  }

  private async run(name: string, { check, degrades }: Dependency): Promise<'ok' | 'degraded' | 'unavailable'> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
    });
    try {
      await Promise.race([check(), timeout]);
      return 'ok';
    } catch (error) {
      this.log.warn({ err: error, check: name }, 'not ready');
      return degrades ? 'degraded' : 'unavailable';
    } finally {
      clearTimeout(timer);
    }
  }
}
