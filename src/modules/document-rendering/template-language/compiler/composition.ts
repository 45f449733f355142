import { asCount } from '../../../../common/base/amounts.js';
import { RenderingRefused } from '../result/refusal.js';
import type { SourceText } from '../result/rendering.js';
import { TooMuchWork } from '../result/work-units.js';
import { type Node, parse, refused } from '../syntax/syntax.js';
import { type Facts, Scope } from './scope.js';

/** How many layouts a template can be in, one in the other, and how deep partials can include each other. */
export const MAX_LEVELS = 5;
/** The most text of which a template is composed, in UTF-16 units. A partial counts in each place that includes it. */
export const MAX_COMPOSED = 2_097_152;
export const composedTooLong = `the template, its layouts and its partials have more than ${asCount(MAX_COMPOSED)} characters together`;
/** The size that an included text counts beside its length. */
const PART_SIZE = 64;
/** The block that a template with a layout fills with all that is in no other block. */
const CONTENT = 'content';

/** A named body. */
interface PartSource {
  name: string;
  body: string;
}

/** The texts that a template is composed of. */
export interface Composed {
  contentType: 'plain' | 'html';
  body: string;
  /** From the template's own layout outwards. */
  layouts: PartSource[];
  /** The partials that the template and its layouts can include. */
  partials: PartSource[];
  /** The name of the partial, if the body is that of a partial by itself. */
  partial?: string | undefined;
}

/** A template or one of its layouts. */
interface Level {
  text: SourceText;
  root: Node;
  /** The blocks with which it fills those of the layouts around it. */
  fills: ReadonlyMap<string, Node>;
}

/** The text that stands in the place of a block, and the level it is from. */
interface Fill {
  node: Node;
  level: number;
}

/** The syntax trees of the texts that a template is composed of. Each text is parsed once, however often it is included. */
export class Composition {
  private readonly levels: Level[];
  private readonly roots = new Map<string, Node>();
  private readonly bodies: ReadonlyMap<string, string>;
  private readonly isHtml: boolean;
  private size = 0;

  /** @param small the most text that may be composed here; a larger template is TooMuchWork */
  constructor(
    private readonly source: Composed,
    private readonly small?: number,
  ) {
    this.isHtml = source.contentType === 'html';
    this.bodies = new Map(source.partials.map(({ name, body }) => [name, body]));
    const { body, layouts } = source;
    if (layouts.length > MAX_LEVELS) throw wrongLayout(`a template can be in at most ${MAX_LEVELS} layouts, one in the other`);
    const own: SourceText = { field: 'body', part: null };
    const texts = [{ text: own, body }, ...layouts.map(({ name, body: frame }) => ({ text: ofLayout(name), body: frame }))];
    this.levels = this.levelsOf(texts.map(({ text, body: one }) => ({ text, root: this.parsed(text, one) })));
  }

  /** The scope and the tree with which compiling begins: those of the outermost layout. */
  start(facts: Facts): { root: Node; scope: Scope } {
    const level = this.levels.length - 1;
    return { root: this.levels[level]!.root, scope: this.scopeOf(level, facts) };
  }

  scopeOf(level: number, facts: Facts): Scope {
    const { partial } = this.source;
    if (partial !== undefined) return Scope.of(this.levels[level]!.text, facts, { partials: [partial] });
    return Scope.of(this.levels[level]!.text, facts, { level });
  }

  /** Returns the text that templates inside of a layout put into one of its blocks: that of the innermost. */
  fillOf(name: string, level: number): Fill | undefined {
    if (name === CONTENT) return level > 0 ? { node: this.levels[level - 1]!.root, level: level - 1 } : undefined;
    const inner = this.levels.findIndex(({ fills }, index) => index < level && fills.has(name));
    return inner < 0 ? undefined : { node: this.levels[inner]!.fills.get(name)!, level: inner };
  }

  /** Returns the tree of a partial, or undefined if there is none with this name. */
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
    return `there is no ${this.source.contentType} partial named "${name.slice(0, MAX_SHOWN)}"`;
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
        throw wrongLayout(`the layout "${layout}" has no {% block ${CONTENT} %}{% endblock %}`);
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
  /** The blocks of all layouts around a text. */
  around: ReadonlySet<string>;
  /** The name of the nearest layout. */
  layout: string;
  isLayout: boolean;
}

/** Takes the blocks that fill those of layouts out of a text. What is left is its content, with the blocks it declares itself. */
function filled({ text, root }: { text: SourceText; root: Node }, { around, layout, isLayout }: Around): Level {
  const fills = new Map<string, Node>();
  const content: Node[] = [];
  let isAfterFill = false;
  for (const child of root.children!) {
    const name = nameOfBlock(child);
    if (name !== undefined && name !== CONTENT && around.has(name)) {
      if (fills.has(name)) throw refused(text, child, `there are two blocks named ${name}`);
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
    if (around.has(name)) throw refused(text, node, `the block ${name} of the layout cannot stand inside of another tag`);
    if (isLayout) continue;
    const known = [...around].sort().join(', ');
    throw refused(text, node, `the layout "${layout}" has no block ${name}; there are ${known}`);
  }
  return { text, root: { ...root, typename: root.typename, children: content }, fills };
}

/** A block that fills another takes the line break after it along. */
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

/** Returns the blocks in a text, those inside of other tags too. */
function nodesOfBlocks(node: Node): Node[] {
  const inner = [...(node.children ?? []), node.body, node.else_].filter(Boolean) as Node[];
  const found = inner.flatMap((child) => nodesOfBlocks(child));
  return node.typename === 'Block' ? [node, ...found] : found;
}
