import { Module } from '@nestjs/common';
import { RetentionJob } from './retention.job.js';

/** Removes what tenants have kept for their periods. */
@Module({ providers: [RetentionJob] })
export class RetentionModule {}
