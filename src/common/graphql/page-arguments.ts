import { Args, Int } from '@nestjs/graphql';
import { DEFAULT_LIMIT, MAX_LIMIT } from './page.js';

const shown = (count: number): string => count.toLocaleString('en-US');

/** The argument `nextToken` of a list. `same` names the other arguments that the token is bound to. */
export const NextToken = (same?: string): ParameterDecorator =>
  Args('nextToken', {
    type: () => String,
    nullable: true,
    description: `The nextToken of the page before${same ? `, with the same ${same}` : ''}; left out for the first page.`,
  });

/** The argument `limit` of a list that comes in pages. */
export const Limit = (usual = DEFAULT_LIMIT): ParameterDecorator =>
  Args('limit', {
    type: () => Int,
    nullable: true,
    description: `Items a page, 1 to ${shown(MAX_LIMIT)}; ${shown(usual)} unless given.`,
  });
