// Room: Checks before every request, request bodies, and errors outside GraphQL.
import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { MemoryBudget } from '../scheduling/memory-budget.js';
import { HeavyWork } from '../scheduling/heavy-work.js';
import { Console } from '../graphql/console/console.js';
import { PublicAddress } from './public-address.js';
import { ErrorFilter } from './refusals/error.filter.js';
import { RequestGate } from './request-gate.js';
import { RequestSpans } from './request-spans.js';

/** Handles every request first: the gate checks it, and all refusals have one form. */
@Global()
@Module({
  providers: [
    RequestGate,
    RequestSpans,
    MemoryBudget,
    HeavyWork,
    PublicAddress,
    Console,
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [RequestGate, MemoryBudget, HeavyWork, PublicAddress],
})
export class HttpModule {}
