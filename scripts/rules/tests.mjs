// Tests: they make and read their data through the API. What no API makes or shows goes through one file, which opens databases. They skip
// for want of something of the machine through one file too, which notes it.
import ts from 'typescript';
import { finding, walk } from './source.mjs';

const OPENER = 'test/support/behind-the-api.ts';
/** Packages that open a database. */
const DRIVERS = /^(better-sqlite3|node:sqlite|pg|pg-native|postgres|@prisma\/(client|adapter-[\w-]+))(\/|$)/;
/** Modules of the product that open a database or name the one of a server. */
const OWN =
  /(^|\/)(common\/database\/(database|sqlite\/sqlite-adapter|postgresql\/postgres-pool)|generated\/(sqlite|postgresql)\/client)\.js$/;

const SKIPPER = 'test/support/needs.ts';
/** Conditions of tests that are for one of the databases. */
const OF_A_DATABASE = /\b(databaseKind|isPostgres)\b/;

export function checkTests(sources) {
  return [...openers(sources), ...skippers(sources), ...unexplained(sources)];
}

/** Each end-to-end test that imports a module of a service without `// Past the API: REASON` above its first such import. */
function unexplained(sources) {
  return sources
    .filter(({ path }) => path.endsWith('.e2e-spec.ts'))
    .flatMap((source) => {
      const first = source.tree.statements.find(
        (node) => ts.isImportDeclaration(node) && node.moduleSpecifier.text.includes('src/modules/'),
      );
      const isExplained = !first || /^\/\/ Past the API: \S/m.test(first.getFullText());
      return isExplained
        ? []
        : [finding(source, first, 'imports src/modules: use the API, or say above `// Past the API: REASON`')];
    });
}

/** Each file of test/ but the opener that loads what opens a database. Imports of types load nothing. */
function openers(sources) {
  return sources
    .filter(({ path }) => path !== OPENER)
    .flatMap((source) =>
      loaded(source.tree)
        .filter(({ text }) => DRIVERS.test(text) || OWN.test(text))
        .map((node) => finding(source, node, `opens a database: use the API, or ${OPENER} where no API shows or makes it`)),
    );
}

/** Each `.skip` outside of the skipper, but that of a test for the other database. */
function skippers(sources) {
  return sources
    .filter(({ path }) => path !== SKIPPER)
    .flatMap((source) => {
      const found = [];
      walk(source.tree, (node) => {
        if (ts.isPropertyAccessExpression(node) && /^(it|test|describe)\.skip$/.test(node.getText()) && !isOfDatabase(node))
          found.push(node);
      });
      return found.map((node) =>
        finding(source, node, `skips on its own: use needing() of ${SKIPPER}, which notes what is missing`),
      );
    });
}

function isOfDatabase({ parent }) {
  return ts.isConditionalExpression(parent) && OF_A_DATABASE.test(parent.condition.getText());
}

/** The specifiers of what a file loads: `import`, `export … from`, `import()`, `require()`. */
function loaded(tree) {
  const specifiers = [];
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node) && !isOfTypes(node.importClause)) specifiers.push(node.moduleSpecifier);
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) specifiers.push(node.moduleSpecifier);
    if (ts.isCallExpression(node) && isLoader(node.expression)) specifiers.push(node.arguments[0]);
  });
  return specifiers.filter((specifier) => specifier && ts.isStringLiteralLike(specifier));
}

function isOfTypes(clause) {
  if (!clause || clause.isTypeOnly) return clause?.isTypeOnly ?? false;
  const names = clause.namedBindings;
  return !clause.name && names !== undefined && ts.isNamedImports(names) && names.elements.every(({ isTypeOnly }) => isTypeOnly);
}

const isLoader = (callee) =>
  callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
