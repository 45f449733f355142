// Words: terms that this project replaces by better ones, in all text: comments, descriptions, strings and docs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS = [
  ["mend(s|ed|ing)?(?!')", 'fix'],
  ['hasten(s|ed|ing)?', 'expedite, send now'],
  ['graver|gravest', 'more severe, most severe'],
  ['lacking', 'missing'],
  ['anew', 'again'],
  ['heals?', 'recovers'],
  ['(where|there)(of|upon)', 'a sentence of its own'],
  ['for want of', 'without'],
  ['the same again', 'repeated'],
  ['in turns', 'alternately, in round-robin order'],
  ['known by', 'identified by'],
  ['became of', 'the outcome of'],
  ['under way', 'running, in progress'],
  ['(is|are|was|were) away', 'is down'],
  ['(go|goes|went|going) on', 'continues'],
  ['(come|comes|came) again', 'is repeated, arrives again'],
  ['(fall|falls|fell) silent', 'stops responding'],
  ['(tell|tells|told) apart', 'distinguishes'],
  ['(give|gives|gave|given|giving) back', 'release, return'],
  ['(has|have|take|takes) a look at', 'checks, polls'],
  ['heads? of (a|the|each|its) requests?', 'request headers'],
  ['bytes of (a|the|its) files?', 'content'],
];
const PATTERNS = WORDS.map(([words, better]) => [new RegExp(`\\b(${words})\\b`, 'i'), better]);
const TEXTS = /\.(md|mjs|ts|tsx|js|css|html|py|go|sh|yml|yaml|tpl|prisma|graphql|cfg|service)$/;
/** Exempt files: schemas are printed from src, applied migrations must not change, and the others list such words. */
const LEFT_OUT = /^schema\/|\/migrations\/|^scripts\/rules\/words\.mjs$|^test\/unit\/(rules|studio\/words)\.spec\.ts$/;

export function checkWords(root) {
  const paths = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  return paths
    .filter((path) => TEXTS.test(path) && !LEFT_OUT.test(path))
    .flatMap((path) => findWords(path, readFileSync(join(root, path), 'utf8')));
}

/** Findings of one text, at most one per line. */
export function findWords(path, text) {
  return text.split('\n').flatMap((line, at) => {
    const found = PATTERNS.map(([pattern, better]) => [pattern.exec(line)?.[0], better]).find(([word]) => word);
    return found ? [`${path}:${at + 1} says "${found[0]}": write ${found[1]}`] : [];
  });
}
