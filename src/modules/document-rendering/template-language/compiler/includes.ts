import { type Node, refused } from '../syntax/syntax.js';
import { MAX_LEVELS } from './composition.js';
import { compileLookup, nameOf, MISSING } from './expressions.js';
import type { Write } from './run.js';
import type { Scope } from './scope.js';
import type { StatementCompiler } from './statements.js';

/** Compiles a partial where it is included, so that its values are escaped for that context. */
export function include(compiler: StatementCompiler, node: Node, scope: Scope): Write {
  const name = nameOfPartial(node, scope);
  if (scope.text.part === null) scope.facts.includes.add(name);
  const chain = [...scope.partials, name];
  const path = chain.map((one) => `"${one}"`).join(' includes ');
  if (scope.partials.includes(name))
    throw refused(scope.text, node, `the partials include each other, which is not supported: ${path}`);
  if (chain.length > MAX_LEVELS) {
    throw refused(scope.text, node, `partials can be nested at most ${MAX_LEVELS} levels deep: ${path}`);
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
    throw refused(scope.text, item, '"with" needs a parameter, such as item or order.customer');
  }
  const { read, path } = compileLookup(nameOf(item, scope), scope);
  const slot = scope.facts.slots;
  scope.facts.slots += 1;
  const write = compiler.compile(root, scope.ofPartial(name, { slot, path }));
  return (run) => {
    const value = read(run);
    if (value === MISSING && path !== undefined) run.missing.add(path);
    run.locals[slot] = value === MISSING ? undefined : value;
    write(run);
  };
}

function nameOfPartial({ template }: Node, scope: Scope): string {
  const { typename, value } = template as Node;
  if (typename === 'Literal' && typeof value === 'string') {
    if (scope.text.field === 'body') return value;
    throw refused(scope.text, template as Node, 'a partial is not allowed in the subject');
  }
  throw refused(scope.text, template as Node, 'the name of a partial must be in quotes, such as {% include "footer" %}');
}

/** Compiles the content of a block: the fill from a template with this layout, or the block's own text. */
export function block(compiler: StatementCompiler, node: Node, scope: Scope): Write {
  const { level } = scope;
  if (level === undefined) throw refused(scope.text, node, 'a block is allowed only in the body of a template');
  const fill = compiler.composition.fillOf((node.name as Node).value as string, level);
  return fill
    ? compiler.compile(fill.node, compiler.composition.scopeOf(fill.level, scope.facts))
    : compiler.compile(node.body as Node, scope);
}
