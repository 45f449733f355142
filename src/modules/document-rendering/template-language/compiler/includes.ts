import { type Node, refused } from '../syntax/syntax.js';
import { MAX_LEVELS } from './composition.js';
import { compileLookup, nameOf, NOT_THERE } from './expressions.js';
import type { Write } from './run.js';
import type { Scope } from './scope.js';
import type { StatementCompiler } from './statements.js';

/** Compiles a partial in the place where it is included, so that its values are escaped for that place. */
export function include(compiler: StatementCompiler, node: Node, scope: Scope): Write {
  const name = nameOfPartial(node, scope);
  if (scope.text.part === null) scope.facts.includes.add(name);
  const chain = [...scope.partials, name];
  const path = chain.map((one) => `"${one}"`).join(' includes ');
  if (scope.partials.includes(name)) throw refused(scope.text, node, `the partials include each other: ${path}`);
  if (chain.length > MAX_LEVELS) {
    throw refused(scope.text, node, `partials include each other over at most ${MAX_LEVELS} levels: ${path}`);
  }
  const { composition } = compiler;
  const root = composition.partial(name);
  if (!root) throw refused(scope.text, node, composition.whyMissing(name));
  if (!node.item) return compiler.compile(root, scope.ofPartial(name));
  return withItem(compiler, node.item as Node, { root, name, scope });
}

interface Included {
  root: Node;
  name: string;
  scope: Scope;
}

function withItem(compiler: StatementCompiler, item: Node, { root, name, scope }: Included): Write {
  if (item.typename !== 'Symbol' && item.typename !== 'LookupVal') {
    throw refused(scope.text, item, 'a partial takes a parameter after "with", such as item or order.customer');
  }
  const { read, path } = compileLookup(nameOf(item, scope), scope);
  const slot = scope.facts.slots;
  scope.facts.slots += 1;
  const write = compiler.compile(root, scope.ofPartial(name, { slot, path }));
  return (run) => {
    const value = read(run);
    if (value === NOT_THERE && path !== undefined) run.missing.add(path);
    run.locals[slot] = value === NOT_THERE ? undefined : value;
    write(run);
  };
}

function nameOfPartial({ template }: Node, scope: Scope): string {
  const { typename, value } = template as Node;
  if (typename === 'Literal' && typeof value === 'string') {
    if (scope.text.field === 'body') return value;
    throw refused(scope.text, template as Node, 'a partial cannot stand in the subject');
  }
  throw refused(scope.text, template as Node, 'the name of a partial is a text in quotes, such as {% include "footer" %}');
}

/** Compiles what stands in the place of a block: the block of a template with this layout, or the text inside of it. */
export function block(compiler: StatementCompiler, node: Node, scope: Scope): Write {
  const { level } = scope;
  if (level === undefined) throw refused(scope.text, node, 'a block can stand only in the body of a template');
  const fill = compiler.composition.fillOf((node.name as Node).value as string, level);
  return fill
    ? compiler.compile(fill.node, compiler.composition.scopeOf(fill.level, scope.facts))
    : compiler.compile(node.body as Node, scope);
}
