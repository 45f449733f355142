// npm run test:release: rehearses a release. Creates its files with release.mjs, publishes them to a registry of its own on the loopback
// interface, and follows the five-minute pages from there in empty folders: a server by npx, and a mail with an uploaded attachment from
// each language. The registry comes from npm; languages whose program is missing are reported as left out.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../deploy/three-nodes.mjs';
import { closeSteps, step } from './counted-steps.mjs';
import { driverSettings, FRESH, manifestOf, run } from './package-installs.mjs';
import { prepare, root } from './prepare.mjs';

const LIMIT_MS = 10 * 60_000;
const HELM = process.env.HELM || 'helm';
const CACHE = join(root, 'node_modules', '.cache', 'test-release');
/** The registry, and a version of its dependency in place of a tag that a mirror may lack. */
const REGISTRY = { private: true, dependencies: { verdaccio: '^6' }, overrides: { 'node-fetch': '2.7.0' } };
const INVOICE = '120 EUR';

await prepare({ withTools: true });
const { startServer, until } = await import('../test/nodes/journey.mjs');
const { version } = manifestOf(root);
const work = mkdtempSync(join(tmpdir(), 'platform-services-release-'));
const release = join(work, 'release');
const folderOf = (name) => (mkdirSync(join(work, name), { recursive: true }), join(work, name));
const env = { ...process.env, ...(await driverSettings(folderOf('driver'))) };
const inFolder = (cwd, program, args, more) =>
  run(program, args, { cwd, env: { ...env, ...more }, timeout: LIMIT_MS, maxBuffer: 1 << 28 });
let registry;
let server;
let platform;

await step('release.mjs creates the files of a release', async () => {
  await inFolder(root, process.execPath, ['scripts/release.mjs', `v${version}`, release]);
  return readdirSync(release, { recursive: true }).length + ' files';
});

await step('the registry accepts every package of npm', async () => {
  registry = await startRegistry();
  Object.assign(env, registry.settings);
  const tarballs = readdirSync(join(release, 'npm'));
  for (const name of tarballs) await inFolder(work, 'npm', ['publish', '--access', 'public', join(release, 'npm', name)]);
  return `${tarballs.length} packages`;
});

await step('npm installs the server from the registry, and npx starts it', async () => {
  const folder = folderOf('server');
  await inFolder(folder, 'npm', ['install', `platform-services@${version}`, ...FRESH]);
  const args = ['--no-install', 'platform-services', '--port', '0', '--host', '127.0.0.1'];
  server = startServer('npx', folder, { HOME: process.env.HOME, PORT: '1' }, args);
  const { address, key } = await server.connect();
  platform = { PLATFORM_URL: address, PLATFORM_KEY: key };
});

const [, GO_MODULE] = /^module (.*)$/m.exec(readFileSync(join(root, 'clients', 'go', 'go.mod'), 'utf8'));
const GO_SETTINGS = {
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOPROXY: `file://${join(work, 'go-proxy')}`,
  GONOSUMDB: '*',
  GOFLAGS: '-modcacherw',
  GOMODCACHE: join(work, 'go-modules'),
};

/** Installation of each page's packages from the registry, and the program that it needs. */
const LANGUAGES = {
  javascript: {
    program: 'npm',
    install: (folder) => inFolder(folder, 'npm', ['install', '@platform-services/client', ...FRESH]),
  },
  nestjs: {
    program: 'npm',
    install: (folder) => {
      const [, packages] = /npm install (.*?) \/tmp/.exec(readFileSync(join(root, 'docs', 'five-minutes-nestjs.md'), 'utf8'));
      const ours = ['@platform-services/client', '@platform-services/nestjs'];
      return inFolder(folder, 'npm', ['install', ...packages.split(' '), ...ours, ...FRESH]);
    },
  },
  python: {
    program: 'python3',
    install: (folder) => {
      const wheels = ['--no-index', '--find-links', join(release, 'other')];
      return inFolder(folder, 'python3', [
        '-m',
        'pip',
        'install',
        '--quiet',
        ...wheels,
        '--target',
        '.site',
        'platform-services-client',
      ]);
    },
    settings: { PYTHONPATH: '.site' },
  },
  go: {
    program: 'go',
    versionOf: ['version'],
    install: async (folder) => {
      await inFolder(root, process.execPath, ['scripts/go-module.mjs', `v${version}`, join(work, 'go-proxy')]);
      await inFolder(folder, 'go', ['mod', 'init', 'mail']);
      await inFolder(folder, 'go', ['get', `${GO_MODULE}@v${version}`], GO_SETTINGS);
    },
    settings: GO_SETTINGS,
  },
};

for (const [name, { program, versionOf, install, settings }] of Object.entries(LANGUAGES)) {
  if (!exists(program, versionOf)) console.log(`left out: ${name}, without ${program}`);
  else
    await step(`the five-minute page for ${name} sends a mail with an uploaded attachment`, () =>
      follow(name, install, settings),
    );
}

if (exists(HELM, ['version'])) {
  await step('helm renders the chart of the release', async () => {
    const chart = join(release, 'other', `platform-services-${version}.tgz`);
    const values = join(root, 'deploy', 'helm', 'platform-services', 'ci', 'least.yaml');
    const { stdout } = await inFolder(work, HELM, ['template', 'rehearsal', chart, '-f', values]);
    assert.match(stdout, new RegExp(`image: "[^"]+:${version.replaceAll('.', '\\.')}"`));
  });
} else console.log('left out: the chart, without helm');

await server?.stop();
registry?.stop();
rmSync(work, { recursive: true, force: true });
closeSteps();

/** Does what a five-minute page says, with packages from the registry in place of those of a checkout. */
async function follow(name, install, settings = {}) {
  const page = readFileSync(join(root, 'docs', `five-minutes-${name}.md`), 'utf8');
  const [, file, command] = /Put this into `([^`]+)`.*run `([^`]+)`/.exec(page);
  const [, code] = /^Put this into[^]*?^```\w+\n([^]*?)^```$/m.exec(page.slice(page.indexOf(`Put this into \`${file}\``)));
  const folder = folderOf(name);
  await install(folder);
  writeFileSync(join(folder, file), code);
  writeFileSync(join(folder, 'invoice.txt'), INVOICE);
  const before = mails().length;
  await inFolder(folder, 'sh', ['-c', command], { ...platform, ...settings });
  const [mail] = await until(async () => mails().length > before && mails().slice(before));
  const content = readFileSync(mail, 'utf8');
  assert.match(content, /invoice\.txt/);
  assert.ok(content.includes(Buffer.from(INVOICE).toString('base64')), 'the attachment has the content of the file');
}

/** Returns the mails that the server stored instead of sending them, oldest first. */
function mails() {
  const folder = join(work, 'server', 'data', 'mail');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith('.eml')).map((name) => join(folder, name)).sort(); // prettier-ignore
}

/** Starts a registry that holds our packages and passes all others on from npm's own. */
async function startRegistry() {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), JSON.stringify(REGISTRY));
  await inFolder(CACHE, 'npm', ['install', ...FRESH]);
  const upstream = (await inFolder(root, 'npm', ['config', 'get', 'registry'])).stdout.trim();
  const port = await freePort();
  const everybody = { access: '$all', publish: '$all', unpublish: '$all' };
  const config = {
    storage: join(work, 'storage'),
    uplinks: { npm: { url: upstream, maxage: '30m' } },
    packages: { 'platform-services': everybody, '@platform-services/*': everybody, '**': { access: '$all', proxy: 'npm' } },
    max_body_size: '100mb',
    log: { type: 'stdout', level: 'error' },
  };
  writeFileSync(join(work, 'registry.json'), JSON.stringify(config));
  const program = join(CACHE, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const args = [program, '--config', join(work, 'registry.json'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { cwd: work, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/`;
  await until(async () => (await fetch(`${url}-/ping`).catch(() => undefined))?.ok);
  const settings = { npm_config_registry: url, [`npm_config_//127.0.0.1:${port}/:_authToken`]: 'everybody' };
  return { settings, stop: () => child.kill() };
}

function exists(program, args = ['--version']) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
