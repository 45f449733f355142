// Checks the chart and the systemd unit of deploy/, if Helm 3.14 or newer (on the PATH, or named by HELM) and systemd-analyze are
// installed. Reports skipped checks. Part of `npm run check`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const CHART = join(root, 'deploy', 'helm', 'platform-services');
const UNIT = 'platform-services.service';
const HELM = process.env.HELM || 'helm';
/** Maximum exposure level in `systemd-analyze security`, from 0 to 100. */
const MOST_EXPOSURE = 15;
const LEAST = ['-f', join(CHART, 'ci', 'least.yaml')];
const ALL = ['-f', join(CHART, 'ci', 'all.yaml')];
/** Values that the chart must reject, with words of the error. */
const REFUSALS = [
  [['--set', 'image.repository='], /image\.repository must name the image/],
  [['--set', 'config.PUBLIC_URL='], /config\.PUBLIC_URL must be the URL/],
  [['--set', 'config.S3_ENDPOINT='], /set config\.S3_ENDPOINT/],
  [['--set', 'secrets.REDIS_URL='], /set secrets\.REDIS_URL/],
  [['--set', 'secrets.DATABASE_URL=file:/data/one.db'], /SQLite belongs to one node/],
  [['--set', 'secrets.SECRET_KEY=short'], /32 bytes or more/],
  [['--set', 'config.SECRET_KEY=in-the-wrong-place'], /SECRET_KEY is secret/],
  [['--set', 'config.MINIO_SECRET_KEY=in-the-wrong-place'], /MINIO_SECRET_KEY is secret/],
  [['--set', 'existingSecret=one'], /either secrets or existingSecret/],
  [['--set', 'replica=3'], /replica/],
  [['--set', 'autoscaling.minReplicas=20'], /must not be above/],
];

chart();
unit();

function chart() {
  if (!exists(HELM, 'version')) return leftOut('the chart', 'helm');
  for (const values of [LEAST, ALL]) run(HELM, ['lint', '--strict', CHART, ...values]);
  for (const [values, message] of REFUSALS) {
    const { status, stderr } = helmTemplate(...LEAST, ...values);
    assert.notEqual(status, 0, `the chart takes ${values[1]}`);
    assert.match(stderr, message);
  }
  const all = rendered(...ALL);
  assert.match(all, /terminationGracePeriodSeconds: 35\b/, 'a node gets DRAIN_SECONDS and 15 s to end');
  // The earlier name of the store.
  rendered(...LEAST, '--set', 'config.S3_ENDPOINT=,config.MINIO_ENDPOINT=http://s3:9000');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.match(rendered(...LEAST), new RegExp(`image: "[^"]+:${version.replaceAll('.', '\\.')}"`), 'appVersion is the version');
  const [, metric] = /metric: \{ name: (\w+) \}/.exec(all) ?? [];
  const served = readFileSync(join(root, 'src/modules/websockets-manager/metrics/socket-metrics.ts'), 'utf8');
  assert.ok(served.includes(`name: '${metric}'`), `/metrics has ${metric}`);
  everySetting();
}

/** Checks that each setting of .env.example reaches the nodes unchanged, through `config` or, if that rejects it, through `secrets`. */
function everySetting() {
  const names = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name);
  const free = names.filter((name) => !['PORT', 'DRAIN_SECONDS', 'PUBLIC_URL', 'DATABASE_URL'].includes(name));
  const given = Object.fromEntries(free.map((name) => [name, `text of ${name}, of 32 bytes or more`]));
  const isSecret = (name) => /^SECRET_|_SECRET_|_API_KEY$/.test(name);
  const values = free.flatMap((name) => ['--set-literal', `${isSecret(name) ? 'secrets' : 'config'}.${name}=${given[name]}`]);
  const text = rendered(...LEAST, ...values);
  for (const name of free) assert.ok(text.includes(`${name}: "${given[name]}"`), `${name} reaches the nodes`);
  assert.ok(free.length > 30, '.env.example has the settings');
}

function unit() {
  if (!exists('systemd-analyze', '--version')) return leftOut('the unit', 'systemd-analyze');
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-unit-'));
  try {
    const file = join(folder, UNIT);
    // Verification requires the program, which has another name here.
    const text = readFileSync(join(root, 'deploy', 'systemd', UNIT), 'utf8');
    writeFileSync(
      file,
      text.replace('/usr/bin/node', process.execPath).replace(/^WorkingDirectory=.*/m, `WorkingDirectory=${root}`),
    );
    const { stderr } = run('systemd-analyze', ['verify', '--man=no', file]);
    assert.doesNotMatch(stderr, /platform-services/, stderr);
    run('systemd-analyze', ['security', '--offline=yes', '--no-pager', `--threshold=${MOST_EXPOSURE}`, file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function helmTemplate(...args) {
  return spawnSync(HELM, ['template', 'release', CHART, ...args], { encoding: 'utf8' });
}

function rendered(...args) {
  const { status, stdout, stderr } = helmTemplate(...args);
  assert.equal(status, 0, stderr);
  return stdout;
}

function run(program, args, input) {
  const outcome = spawnSync(program, args, { input, encoding: 'utf8' });
  assert.equal(outcome.status, 0, `${program} ${args.join(' ')}\n${outcome.stdout}${outcome.stderr}`);
  return outcome;
}

function exists(program, ...args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function leftOut(what, program) {
  console.log(`${what}: not checked, ${program} is not installed`);
}
