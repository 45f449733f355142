// Builds the stale packages of clients/. clients/js: types from the schemas, modules with types, and one file for a <script> tag;
// clients/testing, clients/nestjs and clients/react: modules with types; clients/python and clients/go: types. The server does not need them, so `npm start` does not
// build them.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { files, install, root, run, step } from './prepare.mjs';

const CLIENT = join(root, 'clients', 'js');
const SCRIPT = join(CLIENT, 'dist', 'platform-services.js');
const INBOX = join(CLIENT, 'dist', 'platform-inbox.js');

/** Native compiler, with a quarter of the processor time of TypeScript 6 and the same output. */
export const COMPILER = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
/** Packages built on that of clients/js, each after those it imports. */
const PACKAGES = { testing: 'testing package', nestjs: 'NestJS module', react: 'React hooks' };
const BUILDER = join(root, 'scripts', 'client.mjs');
/** Clients without a build: their types are generated from the schemas. */
const GENERATED = { python: ['src', 'platform_services', 'types', '__init__.py'], go: ['events', 'events.go'] };
const compile = (what, folder) => run(what, process.execPath, [COMPILER, '-p', folder]);

export function prepareClients() {
  prepareClient();
  for (const [language, product] of Object.entries(GENERATED)) {
    const generator = join(root, 'clients', language, 'scripts', 'generate.mjs');
    const inputs = [...files(join(root, 'schema'), '.graphql'), ...files(join(CLIENT, 'scripts'), '.mjs'), generator];
    step(`client-${language}`, inputs, join(root, 'clients', language, ...product), () =>
      run(`Generating the types of the ${language} client`, process.execPath, [generator]),
    );
  }
  for (const [name, title] of Object.entries(PACKAGES)) preparePackage(name, title);
}

function preparePackage(name, title) {
  const folder = join(root, 'clients', name);
  const settings = [
    BUILDER,
    SCRIPT,
    join(folder, 'tsconfig.json'),
    join(folder, 'package.json'),
    join(root, 'package-lock.json'),
  ];
  step(name, [...files(join(folder, 'src'), '.ts'), ...settings], join(folder, 'dist', 'index.js'), () => {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    compile(`Building the ${title}`, folder);
    addCommonJs(folder);
  });
}

function prepareClient() {
  const generator = join(CLIENT, 'scripts', 'generate.mjs');
  const settings = [BUILDER, join(CLIENT, 'tsconfig.json'), join(CLIENT, 'package.json'), join(root, 'package-lock.json')];
  const inputs = [
    ...files(join(root, 'schema'), '.graphql'),
    ...files(join(CLIENT, 'src'), '.ts'),
    ...files(join(CLIENT, 'scripts'), '.mjs'),
    ...settings,
  ];
  step('client', inputs, SCRIPT, () => {
    rmSync(join(CLIENT, 'dist'), { recursive: true, force: true });
    run('Generating the types of the client', process.execPath, [generator]);
    compile('Building the client', CLIENT);
    addCommonJs(CLIENT);
    run('Bundling the client', process.execPath, [join(root, 'scripts', 'client.mjs'), '--bundle']);
  });
}

/**
 * Adds the same modules as CommonJS in dist/cjs, for Jest and others that cannot load ESM. Copies the types of ESM, which were checked
 * just before; TypeScript derives the module format from the folder.
 */
function addCommonJs(folder) {
  const ts = createRequire(join(root, 'package.json'))('typescript');
  const [source, built] = [join(folder, 'src'), join(folder, 'dist')];
  const target = join(built, 'cjs');
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, experimentalDecorators: true };
  for (const entry of readdirSync(source, { recursive: true }).filter((path) => path.endsWith('.ts'))) {
    const [path, name] = [join(source, entry), entry.slice(0, -'.ts'.length)];
    const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), { compilerOptions: options, fileName: path });
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(
      join(target, `${name}.js`),
      outputText.replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename).href"),
    );
    cpSync(join(built, `${name}.d.ts`), join(target, `${name}.d.ts`));
  }
  writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Bundles one file that sets the global PlatformServices, and one that defines `<platform-inbox>`. */
async function bundle() {
  const { build } = await import('rolldown');
  const options = { cwd: CLIENT, platform: 'browser', transform: { target: 'es2022' } };
  const output = { file: SCRIPT, format: 'iife', name: 'PlatformServices', minify: true };
  await build({ ...options, input: 'dist/browser.js', output });
  await build({ ...options, input: 'dist/inbox/script.js', output: { file: INBOX, format: 'iife', minify: true } });
}

/** Returns the size of the browser part, minified and compressed. */
export const scriptBytes = () => gzipSync(readFileSync(SCRIPT), { level: 9 }).length;

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] !== '--bundle') await install({ withTools: true });
  await (process.argv[2] === '--bundle' ? bundle() : prepareClients());
}
