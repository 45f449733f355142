// npm run bench -- [names]: runs bench/<name>.bench.mjs, or all of them, one after another in separate processes. Fails if a bench
// misses its target. `all` runs their short forms and writes bench/results.md; `compare REF` compares this checkout with another
// commit; `ratchet` compares it with the best of recent commits.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { names as benches, pathOf } from '../bench/support/benches.mjs';
import { prepare, root } from './prepare.mjs';

const USAGE = `npm run bench                     runs every bench
npm run bench -- NAME ...         runs these
npm run bench -- all              runs the short form of every bench, prints one table and writes bench/results.md
  --only NAME,NAME                runs these and replaces their results
  --seconds N                     takes N seconds for each load, 1 to 60; 2 by default
npm run bench -- compare REF      builds the commit REF and measures this checkout against it, alternately
  --only NAME,NAME                measures these operations
  --seconds N                     takes N seconds for each turn, 1 to 60; 2 by default
  --allow SHARE                   fails if less than this share is left of a figure, 0.1 to 1; 0.85 by default
npm run bench -- ratchet          fails if an operation costs 5 % more processor time than the best entry of bench/baseline.json
  --only NAME,NAME                measures these operations
  --seconds N                     takes N seconds for each turn, 1 to 60; 2 by default
  --short                         measures four operations on SQLite, within a minute or two
  --write                         stores the result as the entry of this commit
  --moved "SQLite, file=REASON"   lets an operation cost more from this entry on; repeat it for more
`;
const OPTIONS = {
  only: { type: 'string' },
  seconds: { type: 'string' },
  allow: { type: 'string' },
  short: { type: 'boolean' },
  write: { type: 'boolean' },
  moved: { type: 'string', multiple: true },
};

const [command, ...others] = process.argv.slice(2);
if (command === 'all') await all(read(others, { positionals: 0, options: ['only', 'seconds'] }));
else if (command === 'compare') await compare(read(others, { positionals: 1, options: ['only', 'seconds', 'allow'] }));
else if (command === 'ratchet')
  await ratchet(read(others, { positionals: 0, options: ['only', 'seconds', 'short', 'write', 'moved'] }));
else await runInFull(known(process.argv.slice(2), benches, 'bench'));

async function runInFull(names) {
  await prepare({ withTools: true });
  for (const name of names) {
    const { status } = spawnSync(process.execPath, [pathOf(name)], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

async function all({ only, seconds }) {
  const names = known(only, benches, 'bench');
  await prepare({ withTools: true });
  const { runAll } = await import('../bench/all.mjs');
  process.exitCode = (await runAll({ names, seconds })) ? 0 : 1;
}

async function compare({ positionals: [ref], only, seconds, allow }) {
  await prepare({ withTools: true }); // the operations need its packages
  const { commitOf } = await import('../bench/support/checkout.mjs');
  const { OPERATIONS } = await import('../bench/support/operations.mjs');
  const names = known(only, Object.keys(OPERATIONS), 'operation');
  const commit = commitOf(ref);
  if (!commit) refuse(`Unknown commit: ${ref}. Name a commit, branch or tag of this repository, such as HEAD~1 or main.`);
  const { compare: measure } = await import('../bench/compare.mjs');
  process.exitCode = (await measure({ commit, names, seconds, allow })) ? 0 : 1;
}

async function ratchet({ only, seconds, short, write, moved }) {
  await prepare({ withTools: true });
  const { OPERATIONS } = await import('../bench/support/operations.mjs');
  const { ratchet: measure } = await import('../bench/ratchet.mjs');
  const names = known(only, Object.keys(OPERATIONS), 'operation');
  process.exitCode = (await measure({ names, seconds, short, write, moved: Object.fromEntries(moved.map(reason)) })) ? 0 : 1;
}

/** Splits "SQLite, file=REASON". */
function reason(text) {
  const [what, why] = text.split(/=(.*)/su);
  if (!why)
    refuse(`--moved is ${text}; it must name the operation and what was bought, as in "SQLite, file=answers hold sizes".`);
  return [what, why];
}

/** Returns the names; all of `existing` by default. */
function known(names, existing, what) {
  const unknown = names.filter((name) => !existing.includes(name));
  if (unknown.length > 0) refuse(`Unknown ${what}: ${unknown.join(', ')}. Known: ${existing.join(', ')}`);
  return names.length > 0 ? names : existing;
}

function read(args, { positionals: wanted, options: allowed }) {
  const options = Object.fromEntries(allowed.map((name) => [name, OPTIONS[name]]));
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    refuse(`${error.message}\n\n${USAGE}`);
  }
  const { values, positionals } = parsed;
  if (positionals.length !== wanted) refuse(USAGE);
  return {
    positionals,
    only: values.only?.split(',').filter(Boolean) ?? [],
    seconds: between(1, 60, values.seconds ?? '2', '--seconds'),
    short: values.short ?? false,
    write: values.write ?? false,
    moved: values.moved ?? [],
    allow: between(0.1, 1, values.allow ?? '0.85', '--allow'),
  };
}

function between(least, most, text, option) {
  const value = Number(text);
  const isFine = value >= least && value <= most && (option !== '--seconds' || Number.isInteger(value));
  if (!isFine)
    refuse(
      `${option} is ${text}; it must be ${option === '--seconds' ? 'a whole number' : 'a number'} from ${least} to ${most}.`,
    );
  return value;
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
