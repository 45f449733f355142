// Styles of Studio take sizes, layers and colours from the tokens, so that pages agree and a theme is one file.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const FOLDER = join('studio', 'src');
const TOKENS = 'tokens.css';
/** What a declaration may not hold, and what it takes instead. */
const REFUSED = [
  [/(?<![\w.-])(?!-?[12]px)-?[\d.]+px/, 'takes sizes beyond 2px from tokens.css, or in rem'],
  [/#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(/i, 'takes colours from tokens.css'],
  [/z-index:\s*-?\d/, 'takes layers from tokens.css'],
];

export function checkStyles(root) {
  const files = readdirSync(join(root, FOLDER), { recursive: true }).filter((name) => name.endsWith('.css'));
  return files
    .filter((name) => !name.endsWith(TOKENS))
    .sort()
    .flatMap((name) => findStyles(relative(root, join(root, FOLDER, name)), readFileSync(join(root, FOLDER, name), 'utf8')));
}

/** Conditions of @media and @container are left out: they can name no token. */
export function findStyles(path, text) {
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*@/.test(line)) return [];
    return REFUSED.filter(([pattern]) => pattern.test(line)).map(([, rule]) => `${path}:${at + 1} ${rule}: ${line.trim()}`);
  });
}
