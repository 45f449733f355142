import { endDeclaration, Misplaced } from '../html/css-context.js';
import {
  type AddressPlace,
  advance,
  afterValue,
  anyPassOf,
  type HtmlPosition,
  isSamePass,
  join,
  markAddress,
  placeIn,
  placeOf,
} from '../html/places.js';
import type { SourcePosition, SourceText } from '../result/rendering.js';
import { type Node, notInLanguage, positionOf, refused } from '../syntax/syntax.js';
import { escapeHtml } from '../text/escaping.js';
import type { Composition } from './composition.js';
import { compileExpression, compileLookup, nameOf } from './expressions.js';
import { repeated } from './loops.js';
import { block, include } from './includes.js';
import { beginAddress, endAddress, printAt, type Printer } from './printing.js';
import type { Write } from './run.js';
import type { Scope } from './scope.js';
import { addressText, literal, printed, sequence } from './writes.js';

const UNEVEN_PASS =
  '{% for %} must end in the HTML context in which it began: inside a tag after a complete attribute, inside CSS after a ;';

/** Characters of literal text per step of work. Literal text needs no checks and escapes. */
const CHARACTERS_OF_STEP = 16;
const UNITS_OF_STEP = 8;

const STATEMENTS: Record<string, (compiler: StatementCompiler, node: Node, scope: Scope) => Write[]> = {
  Output: (compiler, node, scope) => node.children!.flatMap((child) => compiler.output(child, scope)),
  If: (compiler, node, scope) => [compiler.choice(node, scope)],
  For: (compiler, node, scope) => [compiler.loop(node, scope)],
  Include: (compiler, node, scope) => [include(compiler, node, scope)],
  Block: (compiler, node, scope) => [block(compiler, node, scope)],
};

/** Compiles the statements of one text in order, and tracks the HTML context of their output. */
export class StatementCompiler {
  private lastValue: { node: Node; text: SourceText } | undefined;

  /** @param html context at the start of the text; undefined for plain text */
  constructor(
    private html: HtmlPosition | undefined,
    readonly composition: Composition,
  ) {}

  compile(node: Node, scope: Scope): Write {
    const writes = node.children!.flatMap((child) => {
      const compile = Object.hasOwn(STATEMENTS, child.typename) ? STATEMENTS[child.typename] : undefined;
      if (!compile) throw notInLanguage(scope.text, child);
      return compile(this, child, scope);
    });
    return sequence(writes);
  }

  /** Compiles the end of the text. Checks an attribute that is still open. */
  end(text: SourceText): Write {
    const open = this.html?.find(({ isMarked }) => isMarked);
    this.located(text, () => this.html?.forEach(({ css }) => css && endDeclaration(css)));
    return open ? endAddress(placeOf(open) as AddressPlace) : () => undefined;
  }

  output(node: Node, scope: Scope): Write[] {
    if (node.typename === 'TemplateData') return this.text(node.value as string, scope);
    return (this.html && this.authored(node, scope)) ?? [printed(compileExpression(node, scope), ...this.place(node, scope))];
  }

  private place(node: Node, { text }: Scope): [Printer, SourcePosition] {
    const place = this.html ? placeIn(this.html) : 'plain';
    if (typeof place === 'object' && 'refused' in place) throw refused(text, node, `a parameter is not allowed ${place.refused}`);
    this.html = this.html && afterValue(this.html);
    this.lastValue = { node, text };
    return [printAt(place), positionOf(text, node)];
  }

  /**
   * Compiles a quoted literal in an expression. It counts as template text, so it is allowed where a parameter is not. Returns
   * undefined for other expressions.
   */
  private authored(node: Node, scope: Scope): Write[] | undefined {
    if (node.typename === 'Literal' && typeof node.value === 'string') {
      const place = placeIn(this.html!);
      const isText = place === 'escaped' || this.html!.every(({ css, at }) => css !== undefined || at === 'value');
      if (!isText || (typeof place === 'object' && 'refused' in place && !this.html!.some(({ css }) => css))) return undefined;
      const isRaw = this.html!.some(({ at }) => at === 'rawText') && place !== 'escaped';
      if (isRaw && node.value.includes('<')) return undefined;
      const position = positionOf(scope.text, node);
      const writes = this.text(isRaw ? node.value : escapeHtml(node.value), scope);
      return [(run) => void run.urlValues.set(position, null), ...writes];
    }
    if (node.typename === 'Group' && node.children!.length === 1) return this.authored(node.children![0]!, scope);
    if (node.typename === 'InlineIf') {
      const condition = compileExpression(node.cond as Node, scope);
      const [then, otherwise] = this.branches(node, scope, [node.body as Node, node.else_ as Node | undefined]);
      return [(run) => (condition(run) ? then : otherwise)(run)];
    }
    return this.withFallback(node, scope);
  }

  /** Compiles `name or "text"` and `name | default("text")`. */
  private withFallback(node: Node, scope: Scope): Write[] | undefined {
    const args = (node.args as Node | undefined)?.children ?? [];
    const isDefault = node.typename === 'Filter' && (node.name as Node).value === 'default';
    const other = node.typename === 'Or' ? (node.right as Node) : isDefault ? args[1] : undefined;
    if (other?.typename !== 'Literal' || typeof other.value !== 'string') return undefined;
    const isEmpty = isDefault && !args[2] ? (value: unknown) => value === undefined : (value: unknown) => !value;
    if (isDefault && (args.length > 3 || (args[2] && args[2].value !== true))) return undefined;
    const probe = isDefault ? filterWithout(node, args[0]!) : (node.left as Node);
    const value = compileExpression(probe, scope);
    const before = this.html;
    const [printer, position] = this.place(node, scope);
    const after = this.html;
    this.html = before;
    const fallback = sequence(this.output(other, scope));
    this.joinBranches(node, scope, [after, 'the value and its fallback']);
    return [
      (run) => {
        const given = value(run);
        if (isEmpty(given)) fallback(run);
        else printed(() => given, printer, position)(run);
      },
    ];
  }

  private branches(node: Node, scope: Scope, [one, other]: [Node, Node | undefined]): [Write, Write] {
    const before = this.html;
    const then = sequence(this.output(one, scope));
    const after = this.html;
    this.html = before;
    const otherwise = other ? sequence(this.output(other, scope)) : () => undefined;
    this.joinBranches(node, scope, [after, 'the two branches of this if']);
    return [then, otherwise];
  }

  /** Compiles literal text. Marks start and end of a URL attribute, if a parameter is allowed in it. */
  private text(text: string, { text: source, facts }: Scope): Write[] {
    facts.steps += 1 + text.length / CHARACTERS_OF_STEP;
    if (!this.html) return [literal(text)];
    const open = this.html.find(({ isMarked }) => isMarked);
    let end: number | undefined;
    const after = this.located(source, () =>
      advance(this.html!, text, (left, at) => {
        if (left.isMarked) end = at - 1;
      }),
    );
    if (open && end === undefined && !after.some(({ isMarked }) => isMarked)) {
      throw this.misplaced(source, 'in a URL that browsers may end at several positions');
    }
    const mark = markAddress(after);
    this.html = mark?.position ?? after;
    const begin = mark && mark.written <= text.length ? text.length - mark.written : text.length;
    if (mark && mark.written > text.length) this.html = after;
    const writes = open ? [addressText(text.slice(0, end))] : [];
    if (open && end !== undefined) writes.push(endAddress(placeOf(open) as AddressPlace));
    const done = open ? (end ?? text.length) : 0;
    if (done < begin) writes.push(literal(text.slice(done, begin)));
    if (begin < text.length || (mark && this.html === mark.position)) writes.push(beginAddress, addressText(text.slice(begin)));
    return writes;
  }

  /** Runs work, and attributes a parameter error to the last compiled parameter. */
  private located<T>(text: SourceText, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Misplaced)) throw error;
      throw this.misplaced(text, error.message);
    }
  }

  private misplaced(text: SourceText, where: string): Error {
    return refused(this.lastValue?.text ?? text, this.lastValue?.node, `a parameter is not allowed ${where}`);
  }

  choice(node: Node, scope: Scope): Write {
    const condition = compileExpression(node.cond as Node, scope);
    const before = this.html;
    const then = this.compile(node.body as Node, scope);
    const afterThen = this.html;
    this.html = before;
    const otherwise = node.else_ ? this.otherwise(node.else_ as Node, scope) : undefined;
    this.joinBranches(node, scope, [afterThen, '{% if %} and its other branches']);
    return (run) => {
      if (condition(run)) then(run);
      else otherwise?.(run);
    };
  }

  /** Compiles the other branch. The parser returns an If node for {% elif %}, and a list of nodes for {% else %}. */
  private otherwise(node: Node, scope: Scope): Write {
    return node.typename === 'If' ? this.choice(node, scope) : this.compile(node, scope);
  }

  loop(node: Node, scope: Scope): Write {
    const { arr, name } = node as unknown as { arr: Node; name: Node };
    const names = (name.typename === 'Array' ? name.children! : [name]).map(({ value }) => value as string);
    if (names.length > 2) throw refused(scope.text, node, 'a loop must have one name, or two: the key and the value');
    if (arr.typename !== 'Symbol' && arr.typename !== 'LookupVal') {
      throw refused(scope.text, arr, 'a loop needs a parameter, such as items or order.items');
    }
    const { read, path } = compileLookup(nameOf(arr, scope), scope);
    const { facts } = scope;
    const slot = facts.slots;
    facts.slots += 1 + names.length;
    const each = path && `${path}[]`;
    const inner = scope.within(names.map((own, index) => [own, index === names.length - 1 ? each : undefined]), slot); // prettier-ignore
    const stepsBefore = facts.steps;
    const before = this.html && anyPassOf(this.html);
    this.html = before;
    const body = this.compile(node.body as Node, inner);
    this.joinBranches(node, scope, [before, '{% for %} and the text before it']);
    if (before && !isSamePass(before, this.html!)) throw refused(scope.text, node, UNEVEN_PASS);
    const unitsOfPass = (1 + facts.steps - stepsBefore) * UNITS_OF_STEP;
    const otherwise = node.else_ ? this.compile(node.else_ as Node, scope) : undefined;
    if (otherwise) this.joinBranches(node, scope, [before, '{% for %} and its {% else %}']);
    return repeated({
      read,
      path,
      position: positionOf(scope.text, arr),
      slot,
      names: names.length,
      body,
      otherwise,
      unitsOfPass,
    });
  }

  /** Joins the contexts after two branches. Browsers must parse the following text in the same way after either. */
  private joinBranches(node: Node, scope: Scope, [other, what]: [HtmlPosition | undefined, string]): void {
    if (!this.html || !other) return;
    const joined = join(this.html, other);
    if (!joined) throw refused(scope.text, node, `${what} end in different HTML contexts, such as inside and outside a tag`);
    this.html = joined;
  }
}

/** Returns a filter node with its input as the only argument. Inherits all other members from the original node. */
function filterWithout(node: Node, input: Node): Node {
  const args = Object.create(node.args as Node, { children: { value: [input] } }) as Node;
  return Object.create(node, { args: { value: args } }) as Node;
}
