// Circles between folders: two folders that import each other, also by way of others and of types, cannot be read one by one.
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Each group of folders of which every one reaches every other. */
export function folderCircles(sources) {
  const graph = new Map();
  const filesOf = new Map();
  for (const { path, tree } of sources) {
    const from = dirname(path);
    if (!graph.has(from)) graph.set(from, new Set());
    for (const target of relativeImports(tree)) {
      const to = dirname(join(from, target));
      if (to === from || to.startsWith('src/generated')) continue;
      graph.get(from).add(to);
      filesOf.set(`${from} ${to}`, [...(filesOf.get(`${from} ${to}`) ?? []), path.split('/').at(-1)]);
    }
  }
  return stronglyConnected(graph).map((folders) => {
    const edges = folders.flatMap((from) => folders.filter((to) => graph.get(from)?.has(to)).map((to) => [from, to]));
    const lines = edges.map(([from, to]) => `  ${from} → ${to} (${filesOf.get(`${from} ${to}`).join(', ')})`);
    return [`folders in a circle: ${folders.join(', ')}`, ...lines].join('\n');
  });
}

function relativeImports(tree) {
  const specifiers = tree.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .map((node) => node.moduleSpecifier?.text);
  return specifiers.filter((text) => text?.startsWith('.'));
}

/** Groups of more than one, by who reaches whom; the graph is small. */
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
