import { Module } from '@nestjs/common';
import { RetentionJob } from './retention.job.js';

/** Removes data at the end of its retention period. */
@Module({ providers: [RetentionJob] })
export class RetentionModule {}
