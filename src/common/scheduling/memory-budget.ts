import { getHeapStatistics } from 'node:v8';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Metrics } from '../metrics/metrics.js';
import { MAX_ANSWER_BYTES, OperationBudget } from './operation-budget.js';
import { TenantSemaphore } from './tenant-semaphore.js';

/** Maximum size of a request body, except on the routes that move file contents. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Size up to which a body is not counted: such bodies are part of the memory of every connection. */
const SMALL_BODY_BYTES = 16 * 1024;
/** Weight of a body, which is held twice: as text, and parsed. */
const BODY_WEIGHT = 2;

const MEMORY = {
  maxWaitMs: 2_000,
  maxWaiting: 1_000,
  maxWaitingOfTenant: 250,
  busy: 'Too many large requests are in progress; try again',
};

interface Tenant {
  tenantId: string;
}

/**
 * Memory of the process for running requests: an eighth of the heap for received bodies, and a quarter for rows and answers. The rest is
 * for everything else, for text that V8 stores with two bytes per character, and for garbage. A tenant gets at most half of each, but
 * always enough for one request of the maximum size. Bodies have separate memory, so that operations already received can finish.
 */
@Injectable()
export class MemoryBudget {
  private readonly received: TenantSemaphore;
  /** Memory of rows and answers. Heavy work reserves its share here too. */
  readonly answered: TenantSemaphore;

  constructor(metrics: Metrics) {
    const heapBytes = getHeapStatistics().heap_size_limit;
    this.received = memoryPool(heapBytes / 8, MAX_BODY_BYTES * BODY_WEIGHT);
    this.answered = memoryPool(heapBytes / 4, MAX_ANSWER_BYTES);
    metrics.heapLimit.set(heapBytes);
    metrics.requestMemoryLimit.set({ use: 'received' }, this.received.capacity);
    metrics.requestMemoryLimit.set({ use: 'answered' }, this.answered.capacity);
    metrics.beforeReading(async () => {
      metrics.requestMemory.set({ use: 'received' }, this.received.held);
      metrics.requestMemory.set({ use: 'answered' }, this.answered.held);
    });
  }

  /** Reserves memory for a body before it is read, until the answer is sent or cut off. @throws SERVICE_UNAVAILABLE */
  receive(request: FastifyRequest, reply: FastifyReply, { tenantId }: Tenant): Promise<void> | undefined {
    const sizeBytes = announcedSize(request);
    return sizeBytes > SMALL_BODY_BYTES ? this.hold(sizeBytes, reply, tenantId) : undefined;
  }

  private async hold(sizeBytes: number, reply: FastifyReply, tenantId: string): Promise<void> {
    const heldBytes = sizeBytes * BODY_WEIGHT;
    await this.received.take(tenantId, heldBytes);
    const release = (): void => this.received.release(tenantId, heldBytes);
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
  }

  /** Creates the budget of one operation. Its memory is released once the operation has ended and its answer is sent. */
  operation({ tenantId }: Tenant, reply: FastifyReply): OperationBudget {
    return new OperationBudget(this.answered, tenantId, reply.raw);
  }
}

function announcedSize({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  return Math.min(Number(headers['content-length'] ?? 0), MAX_BODY_BYTES);
}

/** Creates the semaphore of a memory that all tenants share, with capacity for at least one request of the maximum size. */
export function memoryPool(capacityBytes: number, largestBytes: number): TenantSemaphore {
  const capacity = Math.max(capacityBytes, largestBytes);
  return new TenantSemaphore({ ...MEMORY, capacity, share: Math.max(capacity / 2, largestBytes) });
}
