import { cssOf, htmlOf, Markup, safeUrl, safeUrlList, textOf } from './escaping.js';
import {
  compileExpression,
  compileLookup,
  type LoopCount,
  nameOf,
  NOT_THERE,
  type Run,
  type Scope,
  type Value,
} from './expressions.js';
import { advance, type HtmlState, join, type Place, placeIn } from './html-context.js';
import { MAX_OUTPUT, outputTooLarge } from './output.js';
import { type Node, notInLanguage, positionOf, refused, type SourcePosition } from './syntax.js';
import { noteWarning } from './warnings.js';

export type Write = (run: Run) => void;

/** How a value becomes text. What replaces it or leaves it out says so with `noteWarning`. */
type Print = (value: unknown, run: Run, position: SourcePosition) => string;

/** How values are written at a place. */
const PRINT: Record<Exclude<Place, object> | 'plain', Print> = {
  plain: textOf,
  escaped: htmlOf,
  url: urlValueOf,
  urlList: urlValueOf,
  css: styleValueOf,
};

const STATEMENTS: Record<string, (compiler: StatementCompiler, node: Node, scope: Scope) => Write[]> = {
  Output: (compiler, node, scope) => node.children!.flatMap((child) => compiler.output(child, scope)),
  If: (compiler, node, scope) => [compiler.choice(node, scope)],
  For: (compiler, node, scope) => [compiler.loop(node, scope)],
};

/** Compiles the statements of one text in their order, and follows through the HTML in which their output stands. */
export class StatementCompiler {
  /** @param html where the text begins, or nothing when it is plain text */
  constructor(private html: HtmlState | undefined) {}

  compile(node: Node, scope: Scope): Write {
    const writes = node.children!.flatMap((child) => {
      const compile = Object.hasOwn(STATEMENTS, child.typename) ? STATEMENTS[child.typename] : undefined;
      if (!compile) throw notInLanguage(scope.part, child);
      return compile(this, child, scope);
    });
    return sequence(writes);
  }

  /** What is to be done when the text ends: an attribute that was never closed is judged too. */
  end(): Write {
    return this.html && urlsAt(this.html) ? checkUrls(this.html) : () => undefined;
  }

  output(node: Node, scope: Scope): Write[] {
    if (node.typename === 'TemplateData') return this.text(node.value as string);
    const value = compileExpression(node, scope);
    const place = this.html ? placeIn(this.html) : 'plain';
    if (typeof place === 'object') throw refused(scope.part, node, `a parameter cannot stand ${place.refused}`);
    return [written(value, PRINT[place], positionOf(scope.part, node))];
  }

  /** Marks where an attribute with URLs begins and ends when something else than text can be in it. */
  private text(text: string): Write[] {
    if (!this.html) return [literal(text)];
    const writes: Write[] = [];
    let done = 0;
    let open = urlsAt(this.html) ? { state: this.html, from: 0, isOurs: false } : undefined;
    this.html = advance(this.html, text, (state, at) => {
      if (open) {
        if (!open.isOurs) {
          writes.push(literal(text.slice(0, at - 1)), checkUrls(open.state));
          done = at - 1;
        }
        open = undefined;
      }
      if (urlsAt(state)) open = { state, from: at, isOurs: true };
    });
    if (!open?.isOurs) return [...writes, literal(text.slice(done))];
    return [...writes, literal(text.slice(done, open.from)), beginUrls, literal(text.slice(open.from))];
  }

  choice(node: Node, scope: Scope): Write {
    const condition = compileExpression(node.cond as Node, scope);
    const before = this.html;
    const then = this.compile(node.body as Node, scope);
    const afterThen = this.html;
    this.html = before;
    const otherwise = node.else_ ? this.otherwise(node.else_ as Node, scope) : undefined;
    this.meet(node, scope, [afterThen, '{% if %} and its other branches']);
    return (run) => {
      if (condition(run)) then(run);
      else otherwise?.(run);
    };
  }

  /** What follows {% elif %} is an If, what follows {% else %} a list. */
  private otherwise(node: Node, scope: Scope): Write {
    return node.typename === 'If' ? this.choice(node, scope) : this.compile(node, scope);
  }

  loop(node: Node, scope: Scope): Write {
    const { arr, name } = node as unknown as { arr: Node; name: Node };
    const names = (name.typename === 'Array' ? name.children! : [name]).map(({ value }) => value as string);
    if (names.length > 2) throw refused(scope.part, node, 'a loop has one name, or two: the key and the value');
    if (arr.typename !== 'Symbol' && arr.typename !== 'LookupVal') {
      throw refused(scope.part, arr, 'a loop goes over a parameter, such as items or order.items');
    }
    const { read, path } = compileLookup(nameOf(arr, scope), scope);
    const { facts } = scope;
    facts.hasLoop = true;
    const slot = facts.slots;
    facts.slots += 1 + names.length;
    const each = path && `${path}[]`;
    const inner = scope.within(names.map((own, index) => [own, index === names.length - 1 ? each : undefined]), slot); // prettier-ignore
    const before = this.html;
    const body = this.compile(node.body as Node, inner);
    this.meet(node, scope, [before, '{% for %} and what comes before it']);
    const none = node.else_ ? this.compile(node.else_ as Node, scope) : undefined;
    if (none) this.meet(node, scope, [before, '{% for %} and its {% else %}']);
    const position = positionOf(scope.part, arr);
    const wanted = `left out: a loop with ${names.length === 1 ? 'one name goes over a list' : 'two names goes over an object or a list'}`;
    const list = (run: Run) => {
      const value = read(run);
      if (value === NOT_THERE && path !== undefined) run.missing.add(path);
      const entries = entriesOf(value, names.length);
      if (!entries && value !== NOT_THERE && value !== null) noteWarning(run, position, wanted, path ?? null);
      return entries ?? [];
    };
    return repeated({ list, slot, names: names.length, body, none });
  }

  /** What follows must be read the same whichever way was taken. */
  private meet(node: Node, scope: Scope, [other, what]: [HtmlState | undefined, string]): void {
    if (!this.html || !other) return;
    const met = join(this.html, other);
    if (!met) throw refused(scope.part, node, `${what} end in different places of the HTML, such as inside and outside of a tag`);
    this.html = met;
  }
}

const literal =
  (text: string): Write =>
  (run) => {
    run.out += text;
  };

/** The attribute is judged when it is written whole; what it was made of is told then. */
function urlValueOf(value: unknown, run: Run, position: SourcePosition): string {
  run.urlValues.set(position, run.path);
  return htmlOf(value);
}

function styleValueOf(value: unknown, run: Run, position: SourcePosition): string {
  const css = cssOf(value);
  if (css === '' && textOf(value) !== '') noteWarning(run, position, 'left out: it is not a plain value of CSS');
  return css;
}

const NO_TEXT = 'written as [object Object]: an object has no text; write its members, such as person.name';

function hasNoText(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  return value !== null && !(value instanceof Markup);
}

function written(value: Value, print: Print, position: SourcePosition): Write {
  return (run) => {
    const given = value(run);
    if (typeof given === 'object' && hasNoText(given)) noteWarning(run, position, NO_TEXT);
    run.out += print(given, run, position);
    if (run.out.length > MAX_OUTPUT) throw outputTooLarge();
  };
}

function sequence(writes: Write[]): Write {
  if (writes.length === 1) return writes[0]!;
  return (run) => {
    for (const write of writes) write(run);
  };
}

/** Whether a URL, or several, are being written. */
function urlsAt(state: HtmlState): boolean {
  const place = state.at === 'value' ? placeIn(state) : undefined;
  return place === 'url' || place === 'urlList';
}

const beginUrls: Write = (run) => {
  run.before += run.out;
  run.out = '';
  run.urlValues.clear();
};

const UNSAFE_URL =
  'the address became "#": it must begin with http:, https:, mailto:, tel: or cid:, or have no scheme of its own';

/** An attribute is judged as a whole: two harmless parameters can be a script together. */
function checkUrls(state: HtmlState): Write {
  const safe = placeIn(state) === 'urlList' ? safeUrlList : safeUrl;
  return (run) => {
    const judged = safe(run.out);
    if (judged !== run.out) for (const [position, path] of run.urlValues) noteWarning(run, position, UNSAFE_URL, path);
    run.out = run.before + judged;
    run.before = '';
  };
}

/** Nothing when it is no list. */
function entriesOf(value: unknown, names: number): unknown[][] | undefined {
  if (Array.isArray(value)) {
    return names === 1 ? value.map((item: unknown) => [item]) : value.map((item: unknown) => (Array.isArray(item) ? item : []));
  }
  return names === 2 && value !== null && typeof value === 'object' ? Object.entries(value) : undefined;
}

interface Loop {
  list: (run: Run) => unknown[][];
  slot: number;
  names: number;
  body: Write;
  none: Write | undefined;
}

function repeated({ list, slot, names, body, none }: Loop): Write {
  return (run) => {
    const entries = list(run);
    if (entries.length === 0) return none?.(run);
    const count: LoopCount = { index: 0, length: entries.length };
    run.locals[slot] = count;
    for (const entry of entries) {
      for (let index = 0; index < names; index++) run.locals[slot + 1 + index] = entry[index];
      body(run);
      count.index += 1;
    }
  };
}
