// Generates console.html, the page of the consoles, from src/common/graphql/console/page with the styles and scripts of GraphiQL
// inlined, and the folder examples with the initial operations of each service's console.
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { css, editorWorkerService, favicon, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql';
import { root } from './prepare.mjs';

export const CONSOLE_SOURCES = join(root, 'src', 'common', 'graphql', 'console', 'page');
const read = (...path) => readFileSync(join(CONSOLE_SOURCES, ...path), 'utf8');
const literal = (value) => JSON.stringify(value).replaceAll('<', String.raw`\u003c`);

/** Returns the example of each service. */
export function consoleExamples() {
  return Object.fromEntries(
    readdirSync(join(CONSOLE_SOURCES, 'examples')).map((file) => [parse(file).name, read('examples', file)]),
  );
}

export function consolePage() {
  const workers = { editorWorkerService, json: jsonWorker, graphql: graphqlWorker };
  const parts = {
    'graphiql.css': css,
    'graphiql.js': js,
    'console.css': read('console.css'),
    'console.js': read('console.js'),
    'data.js': `const EXAMPLES = ${literal(consoleExamples())}; const WORKERS = ${literal(workers)};`,
  };
  const part = (name) => parts[name] ?? fail(`the page of the consoles names ${name}, which it does not have`);
  return read('console.html')
    .replace('href="favicon"', () => `href="${favicon}"`)
    .replaceAll(/<link rel="stylesheet" href="([^"]+)" \/>/g, (_, name) => `<style>${part(name)}</style>`)
    .replaceAll(/<script src="([^"]+)"><\/script>/g, (_, name) => `<script>${part(name)}</script>`);
}

function fail(message) {
  throw new Error(message);
}
