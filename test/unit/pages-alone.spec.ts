// @nightly: starts a server for each page
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CHROMIUM } from '../support/chromium.js';
import { needing, program } from '../support/needs.js';
import { blocksOf, Reader } from '../support/reader.js';

const names = readdirSync(fileURLToPath(new URL('../../docs/', import.meta.url)));
const docs = names.flatMap((name) => (name.endsWith('.md') && name !== 'README.md' ? [name.slice(0, -3)] : []));
const pages = ['README', ...docs].filter((page) => blocksOf(page).length > 0);

describe('the commands of each page', () => {
  const typed = needing(...['bash', 'curl', 'jq', CHROMIUM].map(program));
  typed.it.each(pages)('need no other page: %s', async (page) => {
    const reader = await Reader.start();
    const { shown, complaints } = await reader.type('bash', ['set -u\n', ...blocksOf(page)]);
    await reader.stop();
    expect(complaints).toEqual([]);
    expect(shown).not.toMatch(/"errors":|^null$|does not exist/m);
  });
});
