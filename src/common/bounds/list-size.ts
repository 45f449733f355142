import { Extensions } from '@nestjs/graphql';

/** How long a list of the schema can be, and how long the cost of an operation takes it to be. */
export interface ListSize {
  /** The largest; the check that enforces it uses the same constant. */
  maxItems: number;
  /** What the cost counts when no `limit` says it. */
  countedItems: number;
  /** Set on `items` of a page: the `limit` of the field that returned the page holds. */
  isPage?: true;
}

interface Counted {
  /**
   * For lists that are mostly far shorter than they may be: what an ordinary one has. Whatever is really there counts its
   * bytes toward what one operation may answer with (operation-budget.ts), so a longer list cannot be used to get more.
   */
  counted?: number;
}

const stated = (size: ListSize): MethodDecorator & PropertyDecorator => Extensions({ listSize: size });

/** States the size of a list field. Every list of a served schema has this or `PageItems`. */
export const MaxItems = (maxItems: number, { counted = maxItems }: Counted = {}): MethodDecorator & PropertyDecorator =>
  stated({ maxItems, countedItems: counted });

/** States the size of `items` of a page: at most `limit`, and without one `unlessGiven`. */
export const PageItems = (maxItems: number, unlessGiven: number): MethodDecorator & PropertyDecorator =>
  stated({ maxItems, countedItems: unlessGiven, isPage: true });

/** What a field of a schema states of its size. */
export function listSizeOf(field: { extensions: object }): ListSize | undefined {
  return (field.extensions as { listSize?: ListSize }).listSize;
}
