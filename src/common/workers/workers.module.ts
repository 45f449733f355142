import { Global, Module } from '@nestjs/common';
import { Leases } from './leases.js';
import { WorkMetrics } from './work-metrics.js';
import { Workers } from './workers.js';

/** Background work, done by one node at a time under a lease in the database. */
@Global()
@Module({ providers: [Leases, WorkMetrics, Workers], exports: [Leases, Workers] })
export class WorkersModule {}
