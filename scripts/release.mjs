// node scripts/release.mjs vX.Y.Z FOLDER: creates the files of a release: the tarballs for npm in `npm`; the wheel of the Python client
// and, if Helm is on the PATH, the chart in `other`; SHA256SUMS of both; and notes.md from the changelog. The workflow `release`
// publishes them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';
import { readManifest } from './release-parts.mjs';

const NOTES = 'notes.md';
const SUMS = 'SHA256SUMS';
const HELM = process.env.HELM || 'helm';
const CHART = join(root, 'deploy', 'helm', 'platform-services');
const PYTHON = join(root, 'clients', 'python');

if (import.meta.url === pathToFileURL(process.argv[1]).href) release(...process.argv.slice(2));

function release(tag, target) {
  if (!tag || !target) throw new Error('usage: node scripts/release.mjs vX.Y.Z FOLDER');
  const notes = notesOf(tag, { version: readManifest().version, changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8') });
  const folder = resolve(target);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name an empty folder, since everything in it is published`);
  const [npm, other] = ['npm', 'other'].map((name) => join(folder, name));
  run(process.execPath, [join(root, 'scripts', 'package.mjs'), npm]);
  run('python3', ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', other, PYTHON]);
  if (spawnSync(HELM, ['version'], { stdio: 'ignore' }).status === 0) run(HELM, ['package', CHART, '--destination', other]);
  else console.log('The chart is left out: helm is not installed.');
  const files = [npm, other].flatMap((part) => readdirSync(part).map((name) => join(part, name)));
  writeFileSync(join(folder, SUMS), files.map(sumOf).join(''));
  writeFileSync(join(folder, NOTES), notes);
  console.log(files.join('\n'));
}

/**
 * Returns the section of the changelog for a tag.
 * @throws Error unless the tag is that of the version, and the section has its date and is the newest
 */
export function notesOf(tag, { version, changelog }) {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and the version of package.json ${version}: tag v${version}`);
  const first = changelog.split(/^(?=## )/m).find((part) => part.startsWith('## ')) ?? '';
  const [, title, text] = /^## (.*)\n([^]*)$/.exec(first) ?? [];
  if (!new RegExp(`^${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`).test(title ?? ''))
    throw new Error(`CHANGELOG.md begins with "${title ?? 'no section'}": it must begin with "${version} (YYYY-MM-DD)"`);
  return `${text.trim()}\n`;
}

/** Formats checksums like `sha256sum`, for files downloaded into one folder. */
function sumOf(file) {
  return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`;
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? `status ${status}`}`);
}
