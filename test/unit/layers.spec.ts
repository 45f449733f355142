import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { relativeImports } from '../../scripts/rules/circles.mjs';
import { readSources } from '../../scripts/rules/source.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the line of each room of common in the map of ARCHITECTURE.md. */
function linesOfRooms(): Map<string, number> {
  const [, map = ''] = /^src\/common\/.*\n((?: {2}.*\n)+)/m.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')) ?? [];
  const lines = map.split('\n').map((line) => /^ {2}((?:[a-z]+\/ )+)/.exec(line)?.[1]?.match(/[a-z]+/g) ?? []);
  return new Map(lines.flatMap((rooms, index) => rooms.map((room) => [room, index] as const)));
}

const roomOf = (path: string): string | undefined => /^src\/common\/([a-z]+)(?:\/|$)/.exec(path)?.[1];

describe('the map of ARCHITECTURE.md', () => {
  const lines = linesOfRooms();
  const sources = readSources(root).filter(({ path }) => roomOf(dirname(path)));

  it('names every room of common', () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(dirname(path))));
    expect([...lines.keys()].sort()).toEqual([...rooms].sort());
  });

  it('lists the rooms of common in layers: each imports rooms of lines above its own only', () => {
    const upward = sources.flatMap(({ path, tree }) => {
      const rooms = relativeImports(tree).map((target) => roomOf(dirname(join(dirname(path), target))));
      const from = roomOf(path)!;
      const wrong = rooms.filter((to) => to !== undefined && to !== from && lines.get(to)! >= lines.get(from)!);
      return wrong.map((to) => `${path} imports ${to}`);
    });
    expect(upward).toEqual([]);
  });
});
