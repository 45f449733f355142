import type { FastifyReply, FastifyRequest } from 'fastify';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { Caller } from '../../auth/caller.js';
import type { Service } from '../../auth/scopes.js';
import type { MemoryBudget } from '../../scheduling/memory-budget.js';
import type { HeavyWork } from '../../scheduling/heavy-work.js';
import type { OperationBudget } from '../../scheduling/operation-budget.js';
import type { Rate } from '../../scheduling/rate-counter.js';
import type { Span } from '../../tracing/spans.js';

/** Context shared by all resolvers of one request. */
export interface GraphqlContext {
  req: FastifyRequest;
  service: Service;
  caller: Caller;
  budget: OperationBudget;
  /** Cost of the operation, including its variables. Set before the first field is resolved. */
  cost: number;
}

/** Creates the context of one operation. The request gate has identified the caller. */
export function graphqlContext(
  service: Service,
  req: FastifyRequest,
  reply: FastifyReply,
  { memory, heavy }: { memory: MemoryBudget; heavy: HeavyWork },
): GraphqlContext {
  const { tenantId, keyId, keyPrefix, scope, person, token } = req.caller!;
  const budget = memory.operation(req.caller!, reply);
  return { req, service, caller: { tenantId, keyId, keyPrefix, scope, person, token, budget, heavy }, budget, cost: 0 };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the request gate on routes that require a key. */
    caller?: Caller;
    /** Remaining points of the key, once the request was counted. */
    rate?: Rate;
    /** Root fields of the GraphQL operation, for the log. */
    operation?: string;
    /** Service and code of the operation, OK if it has no error. */
    outcome?: [service: string, code: string];
    /** Set if the operation is traced. */
    operationSpan?: Span;
  }
}

/** Injects the caller of a GraphQL operation. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, execution: ExecutionContext): Caller => GqlExecutionContext.create(execution).getContext<GraphqlContext>().caller,
);
