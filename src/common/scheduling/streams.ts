import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { type Counts, slotsFor, type TenantSemaphore } from './tenant-semaphore.js';
import { ABANDONED, type HeavyNeeds, Run } from './heavy-run.js';

/** Maximum number of concurrent long answers, to one tenant and in total. */
const STREAMS_PER_TENANT = 4;
const STREAMS = 12;

/**
 * Runs the routes with long answers: exports and bundles. An answer holds a slot and reserved memory until the response is closed, at
 * the latest after 65 s in which the client reads nothing (fastify-adapter.ts).
 */
export class Streams {
  private readonly slots = slotsFor(STREAMS_PER_TENANT, STREAMS);

  constructor(
    private readonly pool: TenantSemaphore,
    private readonly count: (outcome: 'done' | 'left' | 'refused') => void,
  ) {}

  get counts(): Counts {
    return { running: this.slots.held, waiting: this.slots.waiting };
  }

  /** Returns the options that make a route heavy. Its handler finds `work` in the caller, and calls `turn` as fields do. */
  route(config: FastifyContextConfig, needs: HeavyNeeds): RouteShorthandOptions {
    return {
      config: { ...config, work: { kind: 'heavy', ...needs } },
      exposeHeadRoute: false,
      preHandler: (request, reply) => this.admit(request, reply, needs),
    };
  }

  /** Waits for a slot. @throws SERVICE_UNAVAILABLE without a slot or memory within 10 s */
  private async admit(request: FastifyRequest, reply: FastifyReply, { memoryBytes }: HeavyNeeds): Promise<void> {
    const caller = request.caller!;
    const run = new Run(caller.tenantId, request.id, this.pool);
    const closed = new Promise<void>((resolve) => {
      if (reply.raw.closed) resolve();
      else reply.raw.once('close', resolve);
    }).then(() => run.abandon());
    await this.counted(run, this.slots.take(caller.tenantId, 1, { signal: run.signal }));
    try {
      await this.counted(run, run.reserve(memoryBytes));
    } finally {
      // Releases both when the response is closed, even that of a refusal.
      void closed.then(() => {
        if (request.caller?.work === run) this.count(reply.raw.writableFinished ? 'done' : 'left');
        run.release();
        this.slots.release(caller.tenantId, 1);
      });
    }
    if (run.signal.aborted) throw ABANDONED;
    request.caller = { ...caller, work: run }; // the memory of each page of rows is released before the next is read
  }

  private async counted(run: Run, admission: Promise<void>): Promise<void> {
    try {
      await admission;
    } catch (error) {
      this.count(run.signal.aborted ? 'left' : 'refused');
      throw error;
    }
  }
}
