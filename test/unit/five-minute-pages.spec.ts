import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readPage } from '../../scripts/five-minute-pages.mjs';

const MOST_COMMANDS = 3;
const names = readdirSync(fileURLToPath(new URL('../../docs/', import.meta.url))).flatMap(
  (name) => /^five-minutes-(\w+)\.md$/.exec(name)?.[1] ?? [],
);

describe('a five-minute page', () => {
  it('exists for three languages and four frameworks', () => {
    expect(names.sort()).toEqual(['fastapi', 'go', 'javascript', 'nestjs', 'nextjs', 'python', 'react']);
  });

  it.each(names)('needs at most three lines of the shell from an empty folder to a sent mail: %s', (name) => {
    const { commands } = readPage(name);
    expect(commands.length).toBeGreaterThan(1);
    expect(commands.slice(MOST_COMMANDS)).toEqual([]);
  });
});
