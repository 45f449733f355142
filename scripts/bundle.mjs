// Bundles the server, the command line, the renderer and their packages into a few files in dist/bundle. Loading two thousand modules
// takes most of a start: bundles reduce it from 2.9 s to 1.6 s. They are not minified, so that a stack trace names lines under a
// comment with their module. Also writes the page of the consoles. `--watch` bundles the renderer on every change.
import { mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, watch } from 'rolldown';
import { root } from './prepare.mjs';

const TARGET = join(root, 'dist', 'bundle');
const COMMANDS = ['main', 'cli'];
/**
 * Packages that are not bundled: they must load first, are native, read their own files, are loaded by such packages, or are not
 * installed.
 */
const EXTERNAL = [
  /^reflect-metadata$/,
  /^ws$/,
  /^better-sqlite3$/,
  /^pg-native$/,
  /^@nestjs\/(microservices|platform-express|platform-socket\.io)/,
  /^@fastify\/(multipart|static|view)$/,
  /^@apollo\/(gateway|subgraph)/,
  /^@as-integrations\/express/,
  /^class-(transformer|validator)/,
  /^ts-morph$/,
];
/**
 * Entry points of a render process and of a thread in it. Every server starts them from here, bundled or not. Each is one file that
 * imports only Node's own modules: under the flags of a renderer, many versions of Node cannot read the exports of CommonJS.
 */
const RENDERER = ['render-child', 'parent-watch'];
const sourceOf = (name) => `dist/modules/document-rendering/engine/${name}.js`;

/** Writes the query compiler to a file: in Prisma's form, a text, it would permanently take 8 MiB of memory. */
const wasmFiles = {
  name: 'wasm-files',
  load: {
    filter: { id: /\.wasm-base64\.mjs$/ },
    async handler(id) {
      const { wasm } = await import(pathToFileURL(id));
      const fileName = basename(id).replace('-base64.mjs', '');
      this.emitFile({ type: 'asset', fileName, source: Buffer.from(wasm, 'base64') });
      // Prisma passes it to Buffer.from, which calls valueOf on an object.
      return `import { readFileSync } from 'node:fs';
        const url = new URL('./' + ${JSON.stringify(fileName)}, import.meta.url);
        export const wasm = { valueOf: () => readFileSync(url) };`;
    },
  },
};

/** Escapes characters beyond Latin-1: a single one makes V8 store the whole file with two bytes per character. */
const latin1 = {
  name: 'latin-1',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = escaped(chunk.code);
  },
};

function escaped(code) {
  if (/String\.raw`[^`]*[^\0-\xff]/.test(code)) throw new Error('a text of String.raw cannot be escaped');
  return code.replace(/(\\*)([^\0-\xff])/g, (_, backslashes, character) => {
    // A backslash before a character that needs none would escape the backslash of the escape.
    const others = backslashes.slice(backslashes.length % 2);
    return `${others}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const options = { cwd: root, platform: 'node', logLevel: 'warn' };
const ofRenderer = RENDERER.map((name) => ({
  ...options,
  input: { [name]: sourceOf(name) },
  output: { dir: TARGET, codeSplitting: false },
}));

/** Threads of the server. Each has a separate file, since a chunk shared with the server would load all of it. */
const THREADS = [
  'common/database/sqlite/sqlite-worker',
  'modules/document-rendering/pdf/pdf-worker',
  'modules/email/bounces/reports/report-worker',
];
const ofThreads = THREADS.map((name) => ({
  ...options,
  input: { [basename(name)]: `dist/${name}.js` },
  external: EXTERNAL,
  output: { dir: TARGET, codeSplitting: false },
}));

if (process.argv[2] === '--watch') {
  watch(ofRenderer);
} else {
  const input = Object.fromEntries(COMMANDS.map((name) => [name, `dist/${name}.js`]));
  const [server, threads, renderer] = await Promise.all([
    build({ ...options, input, plugins: [wasmFiles, latin1], external: EXTERNAL, output: { dir: TARGET } }),
    Promise.all(ofThreads.map((one) => build(one))),
    Promise.all(ofRenderer.map((one) => build(one))),
    writeConsole(),
  ]);
  writeFileSync(join(TARGET, 'packages.json'), JSON.stringify(importedPackages([server, ...threads])));
  refuseImports(renderer.flatMap(({ output }) => output.flatMap(({ imports }) => imports)));
}

/** Writes the page of the consoles. A server that generated it itself would permanently use 50 MiB more. */
async function writeConsole() {
  const { consolePage } = await import('./console-page.mjs');
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(join(TARGET, 'console.html.gz'), gzipSync(consolePage(), { level: 9 }));
}

/** Returns the names of the packages that bundles import at run time, installed or not. */
function importedPackages(built) {
  const files = built.flatMap(({ output }) => output);
  const own = new Set(files.map(({ fileName }) => fileName));
  const imports = files.flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports]);
  const packages = imports.filter((name) => !isBuiltin(name) && !own.has(name));
  const nameOf = (name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
  return [...new Set(packages.map(nameOf))].sort();
}

function refuseImports(imports) {
  const refused = imports.filter((name) => !isBuiltin(name));
  if (refused.length > 0) throw new Error(`the renderer must import nothing but Node's own modules: ${refused.join(', ')}`);
}
