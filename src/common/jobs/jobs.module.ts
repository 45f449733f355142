// Room: Background jobs under leases in the database.
import { Global, Module } from '@nestjs/common';
import { Leases } from './leases.js';
import { LeasedWork } from './leased-work.js';
import { JobMetrics } from './job-metrics.js';
import { BackgroundJobs } from './background-jobs.js';

/** Provides background work, run by one node at a time under a lease in the database. */
@Global()
@Module({ providers: [Leases, LeasedWork, JobMetrics, BackgroundJobs], exports: [Leases, LeasedWork, BackgroundJobs] })
export class JobsModule {}
