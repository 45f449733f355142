// Import cycles between folders: two folders that import values of each other, directly or through others, cannot be read separately.
// Type imports are permitted.
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { walk } from './source.mjs';

/**
 * Returns groups of folders in which each reaches every other. A folder includes its subfolders: `a/b` importing `c` and `c/d`
 * importing `a/e` form a cycle of `a` and `c`.
 */
export function folderCircles(sources) {
  const graph = new Map();
  const filesOf = new Map();
  for (const { path, tree } of sources) {
    for (const target of relativeImports(tree)) {
      const [from, to] = apart(dirname(path), dirname(join(dirname(path), target)));
      if (to === from || to.startsWith('src/generated')) continue;
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
      filesOf.set(`${from} ${to}`, (filesOf.get(`${from} ${to}`) ?? new Set()).add(path.split('/').at(-1)));
    }
  }
  return stronglyConnected(graph).map((folders) => {
    const edges = folders.flatMap((from) => folders.filter((to) => graph.get(from)?.has(to)).map((to) => [from, to]));
    const lines = edges.map(([from, to]) => `  ${from} → ${to} (${[...filesOf.get(`${from} ${to}`)].join(', ')})`);
    return [`folders in a circle: ${folders.join(', ')}`, ...lines].join('\n');
  });
}

/**
 * Truncates two paths below their first difference: `a/b/c` and `a/d/e` become `a/b` and `a/d`; `a` and `a/b/c` become `a` and `a/b`.
 */
function apart(one, other) {
  const [parts, others] = [one.split('/'), other.split('/')];
  const shared = parts.findIndex((part, index) => part !== others[index]);
  const length = (shared < 0 ? parts.length : shared) + 1;
  return [parts.slice(0, length).join('/'), others.slice(0, length).join('/')];
}

/** Returns the modules from which a file imports values, including `import()`. */
export function relativeImports(tree) {
  const specifiers = [];
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node) && !hasTypesAlone(node.importClause)) specifiers.push(node.moduleSpecifier);
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) specifiers.push(node.moduleSpecifier);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) specifiers.push(node.arguments[0]);
  });
  return specifiers.map((specifier) => specifier?.text).filter((text) => text?.startsWith('.'));
}

function hasTypesAlone(clause) {
  if (!clause) return false;
  const named = clause.namedBindings;
  return clause.isTypeOnly || (!clause.name && ts.isNamedImports(named) && named.elements.every((one) => one.isTypeOnly));
}

/** Returns groups of more than one node that reach each other. Assumes a small graph. */
function stronglyConnected(graph) {
  const reached = new Map([...graph.keys()].map((from) => [from, reachableFrom(graph, from)]));
  const groups = new Map();
  for (const from of graph.keys()) {
    const group = [...reached.get(from)].filter((to) => reached.get(to)?.has(from)).sort();
    if (group.length > 1) groups.set(group.join(), group);
  }
  return [...groups.values()];
}

function reachableFrom(graph, from) {
  const found = new Set();
  const waiting = [...(graph.get(from) ?? [])];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (found.has(folder)) continue;
    found.add(folder);
    waiting.push(...(graph.get(folder) ?? []));
  }
  return found;
}
