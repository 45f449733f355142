import { Args, Int } from '@nestjs/graphql';
import { DEFAULT_LIMIT, MAX_LIMIT } from './page.js';
import { asCount } from '../base/amounts.js';

/** The argument `nextToken` of a list. `same` names the other arguments that the token is bound to. */
export const NextToken = (same?: string): ParameterDecorator =>
  Args('nextToken', {
    type: () => String,
    nullable: true,
    description: `nextToken of the previous page${same ? `, with the same ${same}` : ''}; leave it out for the first page.`,
  });

/** The argument `limit` of a list that comes in pages. */
export const Limit = (usual = DEFAULT_LIMIT, max = MAX_LIMIT): ParameterDecorator =>
  Args('limit', {
    type: () => Int,
    nullable: true,
    description: `Items per page, 1 to ${asCount(max)}; ${asCount(usual)} by default.`,
  });
