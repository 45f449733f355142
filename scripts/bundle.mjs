// Puts the server, the command line and their packages into a few files in dist/bundle: two thousand modules of their own
// take longer to load than all else that a start does. Where the bundler does not run, the modules themselves are used.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const TARGET = join(root, 'dist', 'bundle');
const COMMANDS = ['main', 'cli'];
const RENDERING = 'dist/modules/document-rendering/rendering';
/** Comes first of all, as imports do; native, or with files of their own, or loaded by such; and what is not installed. */
const EXTERNAL = [
  /^reflect-metadata$/,
  /^better-sqlite3$/,
  /^pg(-native)?$/,
  /^@prisma\//,
  /^@graphql-yoga\//,
  /^nunjucks\//,
  /^juice(\/|$)/,
  /^@nestjs\/(microservices|websockets|platform-express)/,
  /^@fastify\/(multipart|static|view)$/,
  /^@apollo\/(gateway|subgraph)/,
  /^@as-integrations\/express/,
  /^class-(transformer|validator)/,
  /^ts-morph$/,
];

try {
  const { build } = await import('rolldown');
  await build({
    cwd: root,
    input: {
      ...Object.fromEntries(COMMANDS.map((name) => [name, `dist/${name}.js`])),
      // Run as a process and a thread, found beside the module that starts them.
      'render-child': `${RENDERING}/render-child.js`,
      'parent-watch': `${RENDERING}/parent-watch.js`,
    },
    platform: 'node',
    external: EXTERNAL,
    logLevel: 'warn',
    output: { dir: TARGET },
  });
} catch (error) {
  process.stderr.write(`Not bundled, so that starts take longer: ${String(error).split('\n')[0]}\n`);
  mkdirSync(TARGET, { recursive: true });
  for (const name of COMMANDS) writeFileSync(join(TARGET, `${name}.js`), `import '../${name}.js';\n`);
}
