import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRooms, readRooms, roomsPage } from '../../scripts/rooms-page.mjs';
import { parse, readSources } from '../../scripts/rules/source.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const all = readSources(root);

describe('the page of rooms', () => {
  it('describes every room once, and rooms do not import each other in circles', () => expect(checkRooms(root, all)).toEqual([]));

  it('names a room without a description, and one with two', () => {
    const sources = [
      parse('src/common/ids/ids.ts', ''),
      parse('src/common/json/one.ts', '// Room: Stored JSON.\n'),
      parse('src/common/json/other.ts', '// Room: Canonical JSON.\n'),
    ];
    expect(checkRooms(root, sources)).toEqual([
      'src/common/ids: 0 files begin with "// Room: …"; one must',
      'src/common/json: 2 files begin with "// Room: …"; one must',
    ]);
  });

  it('names rooms that import each other', () => {
    const room = (name: string, other: string) =>
      parse(`src/modules/email/${name}/a.ts`, `// Room: One.\nimport { x } from '../${other}/a.js';\n`);
    expect(checkRooms(root, [room('bounces', 'rows'), room('rows', 'bounces')])).toEqual([
      'src/modules/email/bounces: imports a room that imports it',
      'src/modules/email/rows: imports a room that imports it',
    ]);
  });

  it('gives a room a higher layer than those that it imports, not counting types', () => {
    const sources = [
      parse('src/common/ids/ids.ts', "// Room: Ids.\nimport type { X } from '../json/json.js';\n"),
      parse('src/common/json/json.ts', "// Room: JSON.\nimport { type Y, id } from '../ids/ids.js';\n"),
    ];
    expect(roomsPage(readRooms(sources))).toContain('## src/common\n\n- `ids` 1: Ids.\n- `json` 2: JSON.\n');
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

  it('names files that exist', () => {
    const paths = all.map(({ path }) => `/${path}`);
    const named = [...page.matchAll(/[\w/.-]+\.ts\b/g)].map(([name]) => name).filter((name) => !/^(x\.|\.)/.test(name));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !paths.some((path) => path.endsWith(`/${name}`)) && !existsSync(join(root, name)))).toEqual([]);
  });
});
