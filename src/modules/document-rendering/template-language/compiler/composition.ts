import { asCount } from '../../../../common/base/amounts.js';
import { RenderingRefused } from '../result/refusal.js';
import type { SourceText } from '../result/rendering.js';
import { TooMuchWork } from '../result/work-units.js';
import { type Node, parse, refused } from '../syntax/syntax.js';
import { type Facts, Scope } from './scope.js';

/** Maximum nesting of layouts, and of partials. */
export const MAX_LEVELS = 5;
/** Maximum total length of a composed template, in UTF-16 units. Counts a partial once per include. */
export const MAX_COMPOSED = 2_097_152;
export const composedTooLong = `the template, its layouts and its partials have more than ${asCount(MAX_COMPOSED)} characters in total; make them smaller`;
/** Fixed overhead added to the length of each included part. */
const PART_SIZE = 64;
/** Layout block that receives everything outside other blocks. */
const CONTENT = 'content';

interface PartSource {
  name: string;
  body: string;
}

/** Texts that a template is composed of. */
export interface Composed {
  contentType: 'plain' | 'html';
  body: string;
  /** Layouts from innermost to outermost. */
  layouts: PartSource[];
  /** Partials available to the template and its layouts. */
  partials: PartSource[];
  /** Name of the partial, if the body is a single partial. */
  partial?: string | undefined;
}

/** Template or layout, as one level of the composition. */
interface Level {
  text: SourceText;
  root: Node;
  /** Blocks that fill those of outer layouts. */
  fills: ReadonlyMap<string, Node>;
}

/** Content of a block, and the level it comes from. */
interface Fill {
  node: Node;
  level: number;
}

/** Syntax trees of a composed template. Each text is parsed once, however often it is included. */
export class Composition {
  private readonly levels: Level[];
  private readonly roots = new Map<string, Node>();
  private readonly bodies: ReadonlyMap<string, string>;
  private readonly isHtml: boolean;
  private size = 0;

  /** @param small maximum total length; a longer template is TooMuchWork */
  constructor(
    private readonly source: Composed,
    private readonly small?: number,
  ) {
    this.isHtml = source.contentType === 'html';
    this.bodies = new Map(source.partials.map(({ name, body }) => [name, body]));
    const { body, layouts } = source;
    if (layouts.length > MAX_LEVELS) throw wrongLayout(`a template can have at most ${MAX_LEVELS} nested layouts`);
    const own: SourceText = { field: 'body', part: null };
    const texts = [{ text: own, body }, ...layouts.map(({ name, body: frame }) => ({ text: ofLayout(name), body: frame }))];
    this.levels = this.levelsOf(texts.map(({ text, body: one }) => ({ text, root: this.parsed(text, one) })));
  }

  /** Returns the scope and the tree of the outermost layout, where compilation begins. */
  start(facts: Facts): { root: Node; scope: Scope } {
    const level = this.levels.length - 1;
    return { root: this.levels[level]!.root, scope: this.scopeOf(level, facts) };
  }

  scopeOf(level: number, facts: Facts): Scope {
    const { partial } = this.source;
    if (partial !== undefined) return Scope.of(this.levels[level]!.text, facts, { partials: [partial] });
    return Scope.of(this.levels[level]!.text, facts, { level });
  }

  /** Returns the innermost fill of a layout's block. */
  fillOf(name: string, level: number): Fill | undefined {
    if (name === CONTENT) return level > 0 ? { node: this.levels[level - 1]!.root, level: level - 1 } : undefined;
    const inner = this.levels.findIndex(({ fills }, index) => index < level && fills.has(name));
    return inner < 0 ? undefined : { node: this.levels[inner]!.fills.get(name)!, level: inner };
  }

  /** Returns the tree of a partial, or undefined for an unknown name. */
  partial(name: string): Node | undefined {
    const body = this.bodies.get(name);
    if (body === undefined) return undefined;
    const known = this.roots.get(name);
    if (known) this.count(body);
    const root = known ?? this.parsed({ field: 'body', part: { kind: 'partial', name } }, body);
    this.roots.set(name, root);
    return root;
  }

  whyMissing(name: string): string {
    return `no ${this.source.contentType} partial is named "${name.slice(0, MAX_SHOWN)}"`;
  }

  private parsed(text: SourceText, body: string): Node {
    this.count(body);
    return parse(body, text, this.isHtml);
  }

  private count(body: string): void {
    this.size += PART_SIZE + body.length;
    if (this.small !== undefined && this.size > this.small) throw new TooMuchWork();
    if (this.size <= MAX_COMPOSED + PART_SIZE) return;
    throw new RenderingRefused({ code: 'PAYLOAD_TOO_LARGE', field: 'body', message: composedTooLong });
  }

  private levelsOf(texts: { text: SourceText; root: Node }[]): Level[] {
    const declared = texts.map(({ root }) => new Set(blocksIn(root)));
    return texts.map(({ text, root }, index) => {
      if (index === texts.length - 1) return { text, root, fills: new Map<string, Node>() };
      const layout = texts[index + 1]!.text.part!.name;
      if (!declared[index + 1]!.has(CONTENT)) {
        throw wrongLayout(`the layout "${layout}" has no {% block ${CONTENT} %}{% endblock %}; add one`);
      }
      const around = new Set(declared.slice(index + 1).flatMap((names) => [...names]));
      return filled({ text, root }, { around, layout, isLayout: declared[index]!.has(CONTENT) });
    });
  }
}

const MAX_SHOWN = 100;

const ofLayout = (name: string): SourceText => ({ field: 'body', part: { kind: 'layout', name } });

function wrongLayout(message: string): RenderingRefused {
  return new RenderingRefused({ code: 'BAD_USER_INPUT', field: 'layoutId', message });
}

interface Around {
  /** Blocks of all outer layouts. */
  around: ReadonlySet<string>;
  /** Name of the nearest layout. */
  layout: string;
  isLayout: boolean;
}

/** Separates the blocks that fill layouts from a text. The rest is its content, with the blocks that it declares itself. */
function filled({ text, root }: { text: SourceText; root: Node }, { around, layout, isLayout }: Around): Level {
  const fills = new Map<string, Node>();
  const content: Node[] = [];
  let isAfterFill = false;
  for (const child of root.children!) {
    const name = nameOfBlock(child);
    if (name !== undefined && name !== CONTENT && around.has(name)) {
      if (fills.has(name)) throw refused(text, child, `two blocks are named ${name}; rename one`);
      fills.set(name, child.body as Node);
      isAfterFill = true;
    } else {
      content.push(isAfterFill ? withoutLineBreak(child) : child);
      isAfterFill = false;
    }
  }
  for (const node of content.flatMap((child) => nodesOfBlocks(child))) {
    const name = nameOfBlock(node)!;
    if (name === CONTENT) continue;
    if (around.has(name)) throw refused(text, node, `the block ${name} of the layout must not be inside another tag`);
    if (isLayout) continue;
    const known = [...around].sort().join(', ');
    throw refused(text, node, `the layout "${layout}" has no block ${name}; its blocks are ${known}`);
  }
  return { text, root: { ...root, typename: root.typename, children: content }, fills };
}

/** Removes the line break after a block that fills another. */
function withoutLineBreak(node: Node): Node {
  const [first, ...more] = node.children ?? [];
  if (node.typename !== 'Output' || first?.typename !== 'TemplateData') return node;
  const value = (first.value as string).replace(/^[ \t]*\r?\n/, '');
  return { ...node, typename: node.typename, children: [{ ...first, typename: first.typename, value }, ...more] };
}

function nameOfBlock(node: Node): string | undefined {
  return node.typename === 'Block' ? ((node.name as Node).value as string) : undefined;
}

function blocksIn(node: Node): string[] {
  return nodesOfBlocks(node).map((one) => nameOfBlock(one)!);
}

/** Returns the blocks in a text, including those inside other tags. */
function nodesOfBlocks(node: Node): Node[] {
  const inner = [...(node.children ?? []), node.body, node.else_].filter(Boolean) as Node[];
  const found = inner.flatMap((child) => nodesOfBlocks(child));
  return node.typename === 'Block' ? [node, ...found] : found;
}
