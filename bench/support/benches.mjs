// Benches of this folder: each is named after its file, and its first comment says what it measures and leaves out.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENDING = '.bench.mjs';
const folder = new URL('../', import.meta.url);

export const names = readdirSync(folder)
  .filter((name) => name.endsWith(ENDING))
  .map((name) => name.slice(0, -ENDING.length))
  .sort();

export const pathOf = (name) => fileURLToPath(new URL(name + ENDING, folder));

/** Returns the first comment of a bench. */
export function headOf(name) {
  const lines = readFileSync(pathOf(name), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.slice('// '.length))
    .join(' ');
}
