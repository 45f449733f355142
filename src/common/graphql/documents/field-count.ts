import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** Maximum number of fields, with fragments counted at each use. The engine validates this many in 0.1 s, without a pause. */
export const MAX_FIELDS = 10_000;
/** Maximum comparisons of fields with the same name. The engine stops after ten times as many, which take 0.25 s. */
const MAX_COMPARISONS = 50_000;

export const REPEATED = 'The document requests the same fields too often; request each of them once';

/** Returns the error message for a document whose validation would block the event loop, or undefined. */
export function faultOfFields(document: DocumentNode): string | undefined {
  const { fields, comparisons } = new FieldCount(document);
  if (fields > MAX_FIELDS) return `The document has more than ${MAX_FIELDS} fields, with fragments counted at each use`;
  return comparisons > MAX_COMPARISONS ? REPEATED : undefined;
}

/** Fields of one selection set with the same name in the response. */
interface Group {
  times: number;
  /** Number of fields below the largest of them. */
  below: number;
}

class FieldCount {
  fields = 0;
  comparisons = 0;
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly sizes = new Map<SelectionSetNode, number>();

  constructor({ definitions }: DocumentNode) {
    for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(node.name.value, node);
    for (const node of definitions) if ('selectionSet' in node && node.selectionSet) this.sizeOf(node.selectionSet);
  }

  /** Returns the number of fields of a selection set, including nested ones. Visits each set once. */
  private sizeOf(set: SelectionSetNode): number {
    const known = this.sizes.get(set);
    if (known !== undefined) return known;
    this.sizes.set(set, 0); // ends cycles, which another rule reports
    const groups = new Map<string, Group>();
    this.group(set, groups, new Set());
    let size = 0;
    for (const { times, below } of groups.values()) {
      size += times * (1 + below);
      this.comparisons += ((times * (times - 1)) / 2) * (1 + below);
    }
    this.sizes.set(set, size);
    return size;
  }

  /** Groups the fields of a set like the engine, which includes those of fragments. */
  private group({ selections }: SelectionSetNode, groups: Map<string, Group>, used: Set<string>): void {
    for (const node of selections) {
      if (++this.fields > MAX_FIELDS) return;
      if (node.kind === Kind.INLINE_FRAGMENT) this.group(node.selectionSet, groups, used);
      else if (node.kind === Kind.FIELD) {
        const below = node.selectionSet ? this.sizeOf(node.selectionSet) : 0;
        const name = (node.alias ?? node.name).value;
        const group = groups.get(name);
        if (group) Object.assign(group, { times: group.times + 1, below: Math.max(group.below, below) });
        else groups.set(name, { times: 1, below });
      } else if (!used.has(node.name.value)) {
        used.add(node.name.value);
        const fragment = this.fragments.get(node.name.value);
        if (fragment) this.group(fragment.selectionSet, groups, used);
      }
    }
  }
}
