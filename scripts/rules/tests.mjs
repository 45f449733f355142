// Tests: data is created and read through the API; one file opens databases for all others, and one file skips tests with an unmet
// requirement. A title forms a sentence with its `describe`, so the outermost text begins with a noun.
import ts from 'typescript';
import { finding, walk } from './source.mjs';

const OPENER = 'test/support/behind-the-api.ts';
/** Packages that open a database. */
const DRIVERS = /^(better-sqlite3|node:sqlite|pg|pg-native|postgres|@prisma\/(client|adapter-[\w-]+))(\/|$)/;
/** Modules of src that open a database or return the one of a server. */
const OWN =
  /(^|\/)(common\/database\/(database|sqlite\/sqlite-adapter|postgresql\/postgres-pool)|generated\/(sqlite|postgresql)\/client)\.js$/;

const SKIPPER = 'test/support/needs.ts';
/** Conditions of tests for one database only. */
const OF_A_DATABASE = /\b(databaseKind|isPostgres)\b/;

export function checkTests(sources) {
  return [...openers(sources), ...skippers(sources), ...unexplained(sources), ...verbsFirst(sources)];
}

/** Finds end-to-end tests that import a module of a service without `// Past the API: REASON` above the first such import. */
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

const VERB_FIRST =
  /^(is|are|was|were|has|have|does|do|can|cannot|may|must|stays|gets|gives|refuses|reports|sends|that|which|whose)\b/;

/** Finds outermost titles, of a `describe` or of a separate test, that begin with a verb or a relative pronoun. */
function verbsFirst(sources) {
  return sources.flatMap((source) =>
    source.tree.statements
      .map(({ expression }) => expression)
      .filter((call) => call && ts.isCallExpression(call) && call.arguments.length > 1)
      .filter(({ arguments: [title] }) => ts.isStringLiteralLike(title) && VERB_FIRST.test(title.text))
      .map((call) => finding(source, call, 'has a title without a subject: begin it with its noun')),
  );
}

/** Finds files of test/ that load a database driver, except the one that may. Ignores type imports, which load nothing. */
function openers(sources) {
  return sources
    .filter(({ path }) => path !== OPENER)
    .flatMap((source) =>
      loaded(source.tree)
        .filter(({ text }) => DRIVERS.test(text) || OWN.test(text))
        .map((node) => finding(source, node, `opens a database: use the API, or ${OPENER} where no API shows or makes it`)),
    );
}

/** Finds uses of `.skip` outside the permitted file, except for tests of the other database. */
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

/** Returns the specifiers of the modules that a file loads: `import`, `export … from`, `import()`, `require()`. */
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
