import { FILTERS, type Filter, unitsOfTexts } from '../filters/filters.js';
import { noteWarning } from '../result/warnings.js';
import { sizeOf } from '../result/work-units.js';
import { type Node, notInLanguage, positionOf, refused } from '../syntax/syntax.js';
import { characterAt, characterCount } from '../text/characters.js';
import type { LoopCount, Run, Value } from './run.js';
import type { Scope } from './scope.js';

const CHARACTERS_OF_STEP = 16;
/** Units of work per code unit of a text whose characters are counted or indexed, since combining characters must be detected. */
const UNITS_OF_CHARACTER = 16;

/** Members of `loop`. */
const LOOP: Record<string, (count: LoopCount) => unknown> = {
  index: ({ index }) => index + 1,
  index0: ({ index }) => index,
  revindex: ({ index, length }) => length - index,
  revindex0: ({ index, length }) => length - index - 1,
  first: ({ index }) => index === 0,
  last: ({ index, length }) => index === length - 1,
  length: ({ length }) => length,
};

type Compiler = (node: Node, scope: Scope) => Value;

/** Supported constructs; all others are refused. */
const EXPRESSIONS: Record<string, Compiler> = {
  Literal: (node, scope) => {
    const { value } = node;
    if (value !== null && typeof value === 'object')
      throw refused(scope.text, node, 'regular expressions are not supported; compare texts with == or in');
    return (run) => {
      run.path = null;
      return value;
    };
  },
  Symbol: (node, scope) => compileName(node, scope),
  LookupVal: (node, scope) => compileName(node, scope),
  Group: (node, scope) => {
    if (node.children!.length !== 1) throw refused(scope.text, node, 'brackets must contain one expression');
    return compileExpression(node.children![0]!, scope);
  },
  Neg: (node, scope) => {
    const { value } = node.target as Node;
    if (typeof value !== 'number') throw notInLanguage(scope.text, node);
    return (run) => {
      run.path = null;
      return -value;
    };
  },
  Not: (node, scope) => {
    const target = compileExpression(node.target as Node, scope);
    return (run) => !target(run);
  },
  And: (node, scope) => {
    const [left, right] = both(node, scope);
    return (run) => left(run) && right(run);
  },
  Or: (node, scope) => {
    const [left, right] = both(node, scope);
    return (run) => left(run) || right(run);
  },
  InlineIf: (node, scope) => {
    const condition = compileExpression(node.cond as Node, scope);
    const then = compileExpression(node.body as Node, scope);
    const otherwise = node.else_ ? compileExpression(node.else_ as Node, scope) : () => undefined;
    return (run) => (condition(run) ? then(run) : otherwise(run));
  },
  Compare: compileComparison,
  In: compileIn,
  Filter: compileFilter,
};

export function compileExpression(node: Node, scope: Scope): Value {
  const compile = Object.hasOwn(EXPRESSIONS, node.typename) ? EXPRESSIONS[node.typename] : undefined;
  if (!compile) throw notInLanguage(scope.text, node);
  scope.facts.steps += 1;
  return compile(node, scope);
}

function both(node: Node, scope: Scope): [Value, Value] {
  return [compileExpression(node.left as Node, scope), compileExpression(node.right as Node, scope)];
}

/** Name with its members, such as `person.address.city`. */
export interface Name {
  root: string;
  keys: string[];
}

/** Returns the name that an expression reads. @throws RenderingRefused for a computed member */
export function nameOf(node: Node, scope: Scope): Name {
  const keys: string[] = [];
  let at = node;
  for (; at.typename === 'LookupVal'; at = at.target as Node) {
    const { typename, value } = at.val as Node;
    if (typename !== 'Literal' || !['string', 'number'].includes(typeof value)) {
      throw refused(scope.text, at, 'computed members are not supported; write a dotted name, such as person.name');
    }
    keys.unshift(String(value));
  }
  if (at.typename === 'FunCall') throw notInLanguage(scope.text, at);
  if (at.typename !== 'Symbol') throw refused(scope.text, at, 'only parameters have members, such as person.name');
  return { root: at.value as string, keys };
}

function compileName(node: Node, scope: Scope, { isOptional = false } = {}): Value {
  const name = nameOf(node, scope);
  if (name.root === 'loop' && scope.loop !== undefined) return compileLoopName(node, name, scope);
  const { read, path } = compileLookup(name, scope);
  const named = path ?? null;
  return (run) => {
    run.path = named;
    const value = read(run);
    if (value !== MISSING) return value;
    if (path !== undefined && !isOptional) run.missing.add(path);
    return undefined;
  };
}

/** Result for a missing name. Null and undefined are values. */
export const MISSING = Symbol('missing');

/** Compiles a lookup. Reads own members only, so no prototype is reachable. */
export function compileLookup({ root, keys }: Name, scope: Scope): { read: Value; path: string | undefined } {
  const names = [root, ...keys];
  const local = scope.local(root);
  const start = local ?? scope.item;
  const members = local ? keys : names;
  const path = start ? start.path && joinPath(start.path, members) : joinPath(root, keys);
  if (path !== undefined) scope.facts.params.add(path);
  scope.facts.steps += keys.length + (path?.length ?? 0) / CHARACTERS_OF_STEP;
  if (start) return { read: (run) => membersOf(run.locals[start.slot], members, run), path };
  if (keys.length > 0) return { read: (run) => membersOf(run.params, names, run), path };
  return { read: ({ params }) => (Object.hasOwn(params, root) ? params[root as never] : MISSING), path };
}

function membersOf(start: unknown, keys: string[], { work }: Run): unknown {
  let value = start;
  for (const key of keys) {
    if (value === null || value === undefined || !Object.hasOwn(value, key)) return MISSING;
    if (typeof value !== 'string') {
      value = (value as Record<string, unknown>)[key];
    } else {
      work.take(UNITS_OF_CHARACTER * value.length);
      value = key === 'length' ? characterCount(value) : (characterAt(value, Number(key)) ?? MISSING);
    }
  }
  return value;
}

function joinPath(root: string, keys: string[]): string {
  return keys.reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`), root);
}

function compileLoopName(node: Node, { keys }: Name, scope: Scope): Value {
  const [key = '', ...more] = keys;
  const count = Object.hasOwn(LOOP, key) && more.length === 0 ? LOOP[key] : undefined;
  if (!count) throw refused(scope.text, node, `loop has no such member; its members are ${Object.keys(LOOP).join(', ')}`);
  const slot = scope.loop!;
  return (run) => {
    run.path = null;
    return count(run.locals[slot] as LoopCount);
  };
}

/** Converts objects to incomparable values, since comparing them would call their toString. */
const comparable = (value: unknown) => (value !== null && typeof value === 'object' ? Number.NaN : value) as never;

/** JavaScript's == except for objects: 1 equals "1". */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === null || left === undefined || right === null || right === undefined) return (left ?? null) === (right ?? null);
  return typeof left === typeof right ? left === right : Number(left) === Number(right);
}

const OPERATORS: Record<string, (left: never, right: never) => boolean> = {
  '==': isEqual,
  '===': (left, right) => left === right,
  '!=': (left, right) => !isEqual(left, right),
  '!==': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

function compileComparison(node: Node, scope: Scope): Value {
  const [operand, ...more] = node.ops as (Node & { type: string; expr: Node })[];
  if (!operand || more.length > 0) throw refused(scope.text, node, 'a comparison has two values; join several with "and"');
  const left = compileExpression(node.expr as Node, scope);
  const right = compileExpression(operand.expr, scope);
  const compare = OPERATORS[operand.type]!;
  return (run) => {
    const [one, other] = [left(run), right(run)];
    run.work.take((typeof one === 'string' ? one.length : 0) + (typeof other === 'string' ? other.length : 0));
    return compare(comparable(one), comparable(other));
  };
}

function compileIn(node: Node, scope: Scope): Value {
  const left = compileExpression(node.left as Node, scope);
  const list = node.right as Node;
  const right = list.typename === 'Array' ? compileList(list, scope) : compileExpression(list, scope);
  return (run) => {
    const [value, container] = [left(run), right(run)];
    run.work.take(typeof container === 'string' ? container.length * (1 + sizeOf(value)) : sizeOf(container));
    return isIn(value, container);
  };
}

function compileList(node: Node, scope: Scope): Value {
  const values = node.children!.map((child) => {
    if (child.typename !== 'Literal') throw refused(scope.text, child, 'a list after "in" must contain strings and numbers only');
    return compileExpression(child, scope);
  });
  return (run) => values.map((value) => value(run));
}

function isIn(value: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return container.includes(value);
  if (typeof value !== 'string') return false;
  if (typeof container === 'string') return container.includes(value);
  return container !== null && typeof container === 'object' && Object.hasOwn(container, value);
}

function compileFilter(node: Node, scope: Scope): Value {
  const name = (node.name as Node).value as string;
  const filter: Filter | undefined = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (!filter) {
    throw refused(
      scope.text,
      node,
      `the filter ${name.slice(0, 100)} does not exist; the filters are ${Object.keys(FILTERS).join(', ')}`,
    );
  }
  const [input, ...rest] = (node.args as Node).children!;
  if (rest.length > filter.arguments) throw refused(scope.text, node, `${name} has at most ${filter.arguments} arguments`);
  const wrong = filter.check?.(rest);
  if (wrong) throw refused(scope.text, node, `${name}: ${wrong}`);
  const isName = input!.typename === 'Symbol' || input!.typename === 'LookupVal';
  const value =
    isName && name === 'default' ? compileName(input!, scope, { isOptional: true }) : compileExpression(input!, scope);
  const values = rest.map((argument) => compileExpression(argument, scope));
  const { apply, units = unitsOfTexts } = filter;
  const position = positionOf(scope.text, node);
  return (run) => {
    const given = value(run);
    const { path } = run;
    const args = values.map((argument) => argument(run));
    run.path = path;
    run.work.take(units(given, args));
    const result = apply(given, args, (reason) => noteWarning(run, position, reason), run.reader);
    if (name === 'default' && result !== given) values[0]?.(run); // sets `path` to that of the default value
    return result;
  };
}
