// npm run test:release [-- PAGE … image]: rehearses a release. Creates its files with release.mjs, publishes them to a registry of its own on
// the loopback interface, and follows the five-minute pages from there: a server by npx, and a mail with an uploaded attachment by each
// page, in an empty container where there is Docker or Podman; then the image, from an OCI layout. The registry comes from npm. What
// is missing is reported as left out. With names of pages, or `image`, tries these alone.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../deploy/three-nodes.mjs';
import { findBareEngine } from '../test/containers/engine.mjs';
import { closeSteps, step } from './counted-steps.mjs';
import { driverSettings, FRESH, manifestOf, run } from './package-installs.mjs';
import { prepare, root } from './prepare.mjs';
import { followPage, languageImages, PAGES } from './rehearsed-pages.mjs';

const LIMIT_MS = 10 * 60_000;
const HELM = process.env.HELM || 'helm';
const CACHE = join(root, 'node_modules', '.cache', 'test-release');
/** The registry, and a version of its dependency in place of a tag that a mirror may lack. */
const REGISTRY = { private: true, dependencies: { verdaccio: '^6' }, overrides: { 'node-fetch': '2.7.0' } };
const IMAGE = 'platform-services-rehearsal';
const NODE_IMAGE = 'node:24-bookworm-slim';
/** Packages of the page for FastAPI that are not ours, which pip installs from the folder of the release too. */
const FASTAPI = ['fastapi', 'uvicorn', 'python-multipart'];

await prepare({ withTools: true });
const { startServer, until } = await import('../test/nodes/journey.mjs');
const { version } = manifestOf(root);
const [, goModule] = /^module (.*)$/m.exec(readFileSync(join(root, 'clients', 'go', 'go.mod'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'platform-services-release-'));
const release = join(work, 'release');
const wheels = join(release, 'other');
const folderOf = (...names) => (mkdirSync(join(work, ...names), { recursive: true }), join(work, ...names));
const env = { ...process.env, ...(await driverSettings(folderOf('driver'))) };
const inFolder = (cwd, program, args) => run(program, args, { cwd, env, timeout: LIMIT_MS, maxBuffer: 1 << 28 });
const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const engine = await findBareEngine();
const images = await languageImages(engine);
/** Settings with which each language finds the packages of the release. */
const settings = {
  npm: { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' },
  python3: { PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels },
  go: {
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'local',
    GOPROXY: `file://${join(work, 'go-proxy')}`,
    GONOSUMDB: '*',
    GOFLAGS: '-modcacherw',
    GOMODCACHE: join(work, 'go-modules'),
  },
};
let registry;
/** Server whose users the pages are: its settings, and the mails that it stored instead of sending them. */
let platform;

await step('release.mjs creates the files of a release', async () => {
  await inFolder(root, process.execPath, ['scripts/release.mjs', `v${version}`, release]);
  return `${readdirSync(release, { recursive: true }).length} files`;
});

await step('the registry accepts every package of npm', async () => {
  registry = await startRegistry();
  Object.assign(env, registry.settings);
  settings.npm.npm_config_registry = registry.url;
  const tarballs = readdirSync(join(release, 'npm'));
  for (const name of tarballs) await inFolder(work, 'npm', ['publish', '--access', 'public', join(release, 'npm', name)]);
  return `${tarballs.length} packages`;
});

await step('npm installs the server from the registry, and npx starts it', async () => {
  const folder = folderOf('server');
  await inFolder(folder, 'npm', ['install', `platform-services@${version}`, ...FRESH]);
  // Replaces the driver on Node 20, as the first command does.
  await inFolder(folder, 'npm', ['exec', '--no-install', 'platform-services', '--', '--version']);
  const args = ['--no-install', 'platform-services', '--port', '0', '--host', '127.0.0.1'];
  const started = startServer('npx', folder, { HOME: process.env.HOME, PORT: '1' }, args);
  platform = { ...(await started.connect()), mails: async () => mailsIn(join(folder, 'data', 'mail')), stop: started.stop };
});

for (const name of Object.keys(PAGES).filter(isWanted)) await rehearse(name);
await platform?.stop();

if (exists(HELM, ['version'])) {
  await step('helm renders the chart of the release', async () => {
    const chart = join(wheels, `platform-services-${version}.tgz`);
    const values = join(root, 'deploy', 'helm', 'platform-services', 'ci', 'least.yaml');
    const { stdout } = await inFolder(work, HELM, ['template', 'rehearsal', chart, '-f', values]);
    assert.match(stdout, new RegExp(`image: "[^"]+:${version.replaceAll('.', '\\.')}"`));
  });
} else console.log('left out: the chart, without helm');

if (engine?.program === 'podman' && images.npm && isWanted('image')) {
  await step('the image comes from an OCI layout, and serves the page for JavaScript', async () => {
    const layout = join(work, 'layout');
    await engine.build(IMAGE, '.', 'Dockerfile', { NODE_IMAGE });
    await engine.run('save', '--quiet', '--format', 'oci-dir', '--output', layout, engine.fullName(IMAGE));
    await engine.run('rmi', engine.fullName(IMAGE));
    // A relative path: the name of the image is made from it, and may have no capital letter.
    const { stdout } = await inFolder(work, 'podman', ['pull', '--quiet', 'oci:layout']);
    const image = stdout.trim();
    const container = `${IMAGE}-${randomUUID()}`;
    const options = ['--rm', '--network=host', '--name', container, '--env', 'HOST=127.0.0.1', '--env', 'PORT=0'];
    const started = startServer('podman', work, { HOME: process.env.HOME }, ['run', ...options, image]);
    const stored = ['exec', container, 'sh', '-c', 'cat /data/mail/*.eml || true'];
    const mails = async () => [await engine.run(...stored)].filter(Boolean);
    try {
      platform = { ...(await started.connect()), mails };
      await follow('javascript', 'mail-by-image');
    } finally {
      await started.stop();
      await engine.run('rmi', '--force', image);
    }
  });
} else if (isWanted('image')) console.log('left out: the image from an OCI layout, which only Podman loads');

registry?.stop();
rmSync(work, { recursive: true, force: true });
closeSteps();

/** Follows a page, unless this machine lacks what it needs. */
async function rehearse(name) {
  const { language } = PAGES[name];
  if (!images[language] && !exists(language, language === 'go' ? ['version'] : undefined)) return leaveOut(language);
  if (name === 'react' && !process.env.TEST_CHROMIUM) return leaveOut('a browser in TEST_CHROMIUM');
  return step(`the five-minute page for ${name} sends a mail with an uploaded attachment`, async () => {
    if (language === 'go')
      await inFolder(root, process.execPath, ['scripts/go-module.mjs', `v${version}`, join(work, 'go-proxy')]);
    if (name === 'fastapi') await inFolder(work, 'python3', ['-m', 'pip', 'download', '--quiet', '--dest', wheels, ...FASTAPI]);
    return follow(name);
  });

  function leaveOut(what) {
    console.log(`left out: the page for ${name}, without ${what}`);
  }
}

function follow(name, folder = name) {
  const { language } = PAGES[name];
  const { address, key, mails } = platform;
  const all = { ...settings[language], PLATFORM_URL: address, PLATFORM_KEY: key };
  const place = { folder: folderOf(folder, 'mail'), image: images[language], engine, env: all };
  return followPage(name, { ...place, release: { version, goModule }, mails });
}

function mailsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith('.eml')).sort().map((name) => readFileSync(join(folder, name), 'utf8')); // prettier-ignore
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
  const own = { npm_config_registry: url, [`npm_config_//127.0.0.1:${port}/:_authToken`]: 'everybody' };
  return { url, settings: own, stop: () => child.kill() };
}

function exists(program, args = ['--version']) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
