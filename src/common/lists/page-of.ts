import type { Type } from '@nestjs/common';
import { Args, Field, Int, ObjectType } from '@nestjs/graphql';
import { PageItems } from '../scheduling/list-size.js';
import { asCount } from '../base/amounts.js';
import { DEFAULT_LIMIT, MAX_LIMIT, type Page } from './page.js';

interface PageOf {
  /** Description of the items. */
  items?: string;
  /** Description of the token. */
  nextToken: string;
  /** Maximum of `limit`, and its default unless given. */
  max?: number;
  byDefault?: number;
}

/** Declares the fields of a page, for its object type to extend. */
export function pageOf<T>(item: Type<T>, { items, nextToken, max, byDefault = max ?? DEFAULT_LIMIT }: PageOf): Type<Page<T>> {
  @ObjectType({ isAbstract: true })
  class PageFields implements Page<T> {
    @PageItems(max ?? MAX_LIMIT, byDefault)
    @Field(() => [item], { nullable: 'itemsAndList', description: items ?? 'Items of this page.' })
    items: T[];

    @Field(() => String, { nullable: true, description: nextToken })
    nextToken: string | null;
  }
  return PageFields;
}

/** Argument `nextToken` of a list. `same` names the other arguments that the token is bound to. */
export const NextToken = (same?: string): ParameterDecorator =>
  Args('nextToken', {
    type: () => String,
    nullable: true,
    description: `nextToken of the previous page${same ? `, with the same ${same}` : ''}; omit it for the first page.`,
  });

/** Argument `limit` of a paginated list. */
export const Limit = (usual = DEFAULT_LIMIT, max = MAX_LIMIT): ParameterDecorator =>
  Args('limit', {
    type: () => Int,
    nullable: true,
    description: `Items per page, 1 to ${asCount(max)}; ${asCount(usual)} by default.`,
  });
