import { Global, Module } from '@nestjs/common';
import { PersonData } from './person-data.js';
import { RetainedData } from './retained-data.js';
import { RetentionWorker } from './retention.worker.js';

/** Removes what tenants have kept for their periods, and knows in what they name persons. */
@Global()
@Module({ providers: [RetainedData, PersonData, RetentionWorker], exports: [RetainedData, PersonData] })
export class RetentionModule {}
