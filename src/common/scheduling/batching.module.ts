import { Global, Module } from '@nestjs/common';
import { Batchers } from './batchers.js';

/** Lets concurrent callers share statements. */
@Global()
@Module({ providers: [Batchers], exports: [Batchers] })
export class BatchingModule {}
