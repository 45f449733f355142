import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { relativeImports } from '../../scripts/rules/circles.mjs';
import { readSources } from '../../scripts/rules/source.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SERVICES = readdirSync(join(root, 'src/modules'));
const all = readSources(root);
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** Returns the layer of each room of common, as the table of ARCHITECTURE.md has it. */
function layersOfRooms(): Map<string, number> {
  return new Map([...page.matchAll(/^\| (\d+) +\| `([a-z]+)\/` /gm)].map(([, layer, room]) => [room!, Number(layer)]));
}

/** Returns the rooms of a service, from the top of its rows. */
const roomsOfService = (service: string): string[] =>
  [...page.matchAll(/^\| `([a-z-]+)\/` +\| `([a-z-]+)\/` /gm)].filter(([, name]) => name === service).map(([, , room]) => room!);

const roomOf = (path: string): string | undefined => /^src\/common\/([a-z]+)(?:\/|$)/.exec(path)?.[1];

describe('the map of ARCHITECTURE.md', () => {
  const layers = layersOfRooms();
  const sources = all.filter(({ path }) => roomOf(dirname(path)));

  it('names every room of common', () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(dirname(path))));
    expect([...layers.keys()].sort()).toEqual([...rooms].sort());
  });

  it('gives the rooms of common their layers: each imports rooms of lower layers only', () => {
    const upward = sources.flatMap(({ path, tree }) => {
      const rooms = relativeImports(tree).map((target) => roomOf(dirname(join(dirname(path), target))));
      const from = roomOf(path)!;
      const wrong = rooms.filter((to) => to !== undefined && to !== from && layers.get(to)! >= layers.get(from)!);
      return wrong.map((to) => `${path} imports ${to}`);
    });
    expect(upward).toEqual([]);
  });

  it.each(SERVICES)('lists the rooms of %s, each importing rooms above its own only', (service) => {
    const rooms = roomsOfService(service);
    const room = (path: string): string | undefined => new RegExp(`^src/modules/${service}/([a-z-]+)/`).exec(path)?.[1];
    const inside = all.filter(({ path }) => !['models', 'inputs', undefined].includes(room(path)));
    expect([...rooms].sort()).toEqual([...new Set(inside.map(({ path }) => room(path)))].sort());
    const upward = inside.flatMap(({ path, tree }) => {
      const targets = relativeImports(tree).map((target) => room(join(dirname(path), target)));
      const wrong = targets.filter((to) => to !== room(path) && rooms.indexOf(to ?? '') > rooms.indexOf(room(path)!));
      return wrong.map((to) => `${path} imports ${to}`);
    });
    expect(upward).toEqual([]);
  });

  it('names files that exist', () => {
    const paths = all.map(({ path }) => `/${path}`);
    const named = [...page.matchAll(/[\w/.-]+\.ts\b/g)].map(([name]) => name).filter((name) => !/^(x\.|\.)/.test(name));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !paths.some((path) => path.endsWith(`/${name}`)) && !existsSync(join(root, name)))).toEqual([]);
  });
});
