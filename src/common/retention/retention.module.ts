import { Global, Module } from '@nestjs/common';
import { PersonData } from './person-data.js';
import { RetainedData } from './retained-data.js';
import { RetentionJob } from './retention.job.js';

/** Removes what tenants have kept for their periods, and knows in what they name persons. */
@Global()
@Module({ providers: [RetainedData, PersonData, RetentionJob], exports: [RetainedData, PersonData] })
export class RetentionModule {}
