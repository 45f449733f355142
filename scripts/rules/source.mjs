// Source files, parsed once for all rules.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** Returns every handwritten file of a folder, as { path, text, tree }; the path is relative to the root. */
export function readSources(root, folder = 'src', ending = /(?<!\.d)\.ts$/) {
  const source = join(root, folder);
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.startsWith(join(source, 'generated')) && !path.includes('/node_modules/'))
    .sort()
    .map((path) => parse(relative(root, path), readFileSync(path, 'utf8')));
}

export function parse(path, text) {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** Calls `visit` with each node under this one. */
export function walk(node, visit) {
  ts.forEachChild(node, (child) => {
    visit(child);
    walk(child, visit);
  });
}

/** Formats a finding of a rule: where, and what is wrong. */
export function finding({ path, tree }, node, message) {
  const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
  return `${path}:${line + 1} ${message}`;
}
