// Tenants: a statement on a table with a tenantId names the tenant, or says `all tenants: REASON` in a comment.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { finding, walk } from './source.mjs';

const REASON = /\ball tenants: \w/;
const NAMED = /\btenantId\b|\btenantId_|_tenantId\b/;
const OPERATION =
  /^(find(First|Unique)(OrThrow)?|findMany|(create|update)(Many(AndReturn)?)?|upsert|delete(Many)?|count|aggregate|groupBy)$/;

/** The models of prisma/models that have a tenantId. */
export function tenantTables(root) {
  const folder = join(root, 'prisma', 'models');
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')).join('\n'); // prettier-ignore
  return [...text.matchAll(/^model (\w+) \{(.*?)^\}/gms)]
    .filter(([, , body]) => /^\s+tenantId\s/m.test(body))
    .map(([, name]) => name);
}

export function checkTenants(sources, tables) {
  const models = new Set(tables.map((table) => table[0].toLowerCase() + table.slice(1)));
  const inSql = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE)\\s+"(${tables.join('|')})"`, 'g');
  return sources.flatMap((source) => {
    const found = [];
    const judge = (node, table, text) => {
      if (NAMED.test(text) || REASON.test(text) || REASON.test(unitOf(node).getFullText())) return;
      found.push(
        finding(source, node, `does not name the tenant of ${table}; add tenantId, or a comment \`all tenants: REASON\``),
      );
    };
    walk(source.tree, (node) => {
      if (isSqlText(node)) {
        const names = [...node.getText().matchAll(inSql)].map(([, , table]) => table);
        if (names.length > 0) judge(node, [...new Set(names)].join(' and '), withParts(node));
        if (tables.includes(node.text?.replaceAll('"', '')) && /^.".*".$/s.test(node.getText())) {
          judge(node, node.text, withParts(unitOf(node)));
        }
      }
      const model = modelOf(node);
      if (models.has(model)) judge(node, model, withParts(...node.arguments));
    });
    return found;
  });
}

/** The model of a call such as `database.file.findMany(…)`. */
function modelOf(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  return OPERATION.test(name.text) && ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined;
}

const isSqlText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

/** The text of these nodes, and of the declarations in the same file that they name, through two of them. */
function withParts(...nodes) {
  const seen = new Set(nodes);
  let reached = nodes;
  for (let depth = 0; depth < 2; depth++) {
    reached = reached.flatMap(declarationsNamedIn).filter((node) => !seen.has(node));
    for (const node of reached) seen.add(node);
  }
  return [...seen].map((node) => node.getText()).join('\n');
}

function declarationsNamedIn(node) {
  const declarations = declarationsOf(node.getSourceFile());
  const found = [];
  const look = (child) => ts.isIdentifier(child) && found.push(...(declarations.get(child.text) ?? []));
  look(node);
  walk(node, look);
  return found;
}

const kept = new WeakMap();

/** Variables and functions of a file by their names. */
function declarationsOf(tree) {
  const known = kept.get(tree);
  if (known) return known;
  const byName = new Map();
  walk(tree, (node) => {
    const isNamed = (ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name && ts.isIdentifier(node.name);
    if (isNamed) byName.set(node.name.text, [...(byName.get(node.name.text) ?? []), node]);
  });
  kept.set(tree, byName);
  return byName;
}

/** The function, method or statement of the file that a node is part of, with the comment before it. */
function unitOf(node) {
  let unit = node;
  while (!ts.isMethodDeclaration(unit) && !ts.isPropertyDeclaration(unit) && !ts.isSourceFile(unit.parent)) unit = unit.parent;
  return unit;
}
