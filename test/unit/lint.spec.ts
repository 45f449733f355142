import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFolder } from '../support/folders.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FAULTS = {
  'no-process-env': 'export const home = process.env.HOME;',
  'no-explicit-any': 'export const value: any = 1;',
  'no-console': "console.log('seen');",
  'max-lines': 'export const one = 1;\n'.repeat(301).replaceAll(/one/g, (_, at: number) => `n${at}`),
  'max-lines-per-function': `export function long(): number {\n  let n = 0;\n${'  n += 1;\n'.repeat(60)}  return n;\n}`,
};

describe('the linter', () => {
  it.each(Object.entries(FAULTS))('enforces %s in sources, also in those deep in folders, and not in tests', (rule, text) => {
    const folder = dataFolder();
    try {
      cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
      const found = (path: string): boolean => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
        return spawnSync(join(root, 'node_modules/.bin/oxlint'), [path], { cwd: folder, encoding: 'utf8' }).stdout.includes(rule);
      };
      expect(['src/main.ts', 'src/common/http/some.ts', 'test/some.ts'].map(found)).toEqual([true, true, false]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
