// Puts the server, the command line, the renderer and their packages into a few files in dist/bundle: two thousand modules
// of their own take longer to load than all else that a start does. `--watch` bundles the renderer on every change.
import { mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const TARGET = join(root, 'dist', 'bundle');
const COMMANDS = ['main', 'cli'];
/** Comes first of all, as imports do; native, or with files of their own, or loaded by such; and what is not installed. */
const EXTERNAL = [
  /^reflect-metadata$/,
  /^better-sqlite3$/,
  /^pg(-native)?$/,
  /^@prisma\//,
  /^@graphql-yoga\//,
  /^@nestjs\/(microservices|websockets|platform-express)/,
  /^@fastify\/(multipart|static|view)$/,
  /^@apollo\/(gateway|subgraph)/,
  /^@as-integrations\/express/,
  /^class-(transformer|validator)/,
  /^ts-morph$/,
];
/**
 * A process and a thread in it, started from here by every server, bundled or not. Each is one file that imports nothing
 * but Node's own modules: under the flags of a renderer, many versions of Node cannot tell what a CommonJS module exports.
 */
const RENDERER = ['render-child', 'parent-watch'];
const sourceOf = (name) => `dist/modules/document-rendering/rendering/${name}.js`;

const rolldown = await import('rolldown').catch((error) => {
  const [reason] = String(error).split('\n');
  process.stderr.write(`The bundler does not run on this platform, so that starts take longer: ${reason}\n`);
});
const options = { cwd: root, platform: 'node', logLevel: 'warn' };
const ofRenderer = RENDERER.map((name) => ({
  ...options,
  input: { [name]: sourceOf(name) },
  output: { dir: TARGET, codeSplitting: false },
}));

if (process.argv[2] === '--watch') {
  rolldown?.watch(ofRenderer);
} else if (rolldown) {
  const input = Object.fromEntries(COMMANDS.map((name) => [name, `dist/${name}.js`]));
  await rolldown.build({ ...options, input, external: EXTERNAL, output: { dir: TARGET } });
  const built = await Promise.all(ofRenderer.map((one) => rolldown.build(one)));
  refuseImports(built.flatMap(({ output }) => output.flatMap(({ imports }) => imports)));
} else {
  mkdirSync(TARGET, { recursive: true });
  for (const name of COMMANDS) writeFileSync(join(TARGET, `${name}.js`), `import '../${name}.js';\n`);
  await bundleRendererAnywhere();
}

/** By a slower bundler, in WebAssembly. */
async function bundleRendererAnywhere() {
  const { build } = await import('esbuild-wasm');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: RENDERER.map(sourceOf),
    outdir: TARGET,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
  refuseImports(Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)));
}

function refuseImports(imports) {
  const refused = imports.filter((name) => !isBuiltin(name));
  if (refused.length > 0) throw new Error(`the renderer must import nothing but Node's own modules: ${refused.join(', ')}`);
}
