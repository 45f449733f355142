import { Extensions } from '@nestjs/graphql';

/** Maximum length of a list of the schema, and the length that counts toward the cost of an operation. */
export interface ListSize {
  /** Maximum length. The check that enforces it uses the same constant. */
  maxItems: number;
  /** Length counted if the operation has no `limit`. */
  countedItems: number;
  /** Set on `items` of a page: the `limit` of the field that returned the page applies. */
  isPage?: true;
}

interface Counted {
  /**
   * Typical length of a list that is mostly far shorter than its maximum. The actual items count their bytes toward the answer of the
   * operation (operation-budget.ts), so a longer list cannot be used to get more.
   */
  counted?: number;
}

const stated = (size: ListSize): MethodDecorator & PropertyDecorator => Extensions({ listSize: size });

/** Declares the size of a list field. Every list of a served schema has this or `PageItems`. */
export const MaxItems = (maxItems: number, { counted = maxItems }: Counted = {}): MethodDecorator & PropertyDecorator =>
  stated({ maxItems, countedItems: counted });

/** Declares the size of `items` of a page: at most `limit`, or `defaultLimit` without one. */
export const PageItems = (maxItems: number, defaultLimit: number): MethodDecorator & PropertyDecorator =>
  stated({ maxItems, countedItems: defaultLimit, isPage: true });

/** Returns the declared size of a field, if any. */
export function listSizeOf(field: { extensions: object }): ListSize | undefined {
  return (field.extensions as { listSize?: ListSize }).listSize;
}
