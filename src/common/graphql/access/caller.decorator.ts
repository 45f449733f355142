import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { Caller } from '../../auth/caller.js';
import type { GraphqlContext } from './graphql-context.js';

/** The caller of a GraphQL operation. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, execution: ExecutionContext): Caller => GqlExecutionContext.create(execution).getContext<GraphqlContext>().caller,
);
