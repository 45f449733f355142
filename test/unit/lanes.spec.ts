import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leftOut, runs } from '../native/lanes.mjs';

const tests = fileURLToPath(new URL('..', import.meta.url));
/** Where a spec that begins with this line runs, on each change and with TEST_LONG=1. */
const places = (line: string) =>
  [false, true].map((isLong) => ['none', 'sqlite', 'postgresql'].filter((database) => runs(`${line}\n`, database, isLong)));

describe('a spec', () => {
  it.each([
    ["import { join } from 'node:path';", ['none', 'sqlite', 'postgresql'], ['none', 'sqlite', 'postgresql']],
    ['// @nightly: kills nodes', [], ['none', 'sqlite', 'postgresql']],
    ['// @nightly postgresql: no SQL of its own', ['none', 'sqlite'], ['none', 'sqlite', 'postgresql']],
    ['// @nightly sqlite: kills nodes', ['none', 'postgresql'], ['none', 'sqlite', 'postgresql']],
    ['// @only postgresql: poolers', ['postgresql'], ['postgresql']],
    ['// @only postgresql: standbys\n// @nightly: failovers', [], ['postgresql']],
  ])('that says %j runs on %j on each change, and on %j with TEST_LONG=1', (line, onChange, inAll) => {
    expect(places(line)).toEqual([onChange, inAll]);
  });

  it.each(['// @nigthly: slow', '// @nightly mysql: slow', '// @nightly', '// @nightly:', '// @only: slow', '//@nightly: slow'])(
    'that says %j is refused, so that no test is lost by a typo',
    (line) => expect(() => places(line)).toThrow(line),
  );

  it('that says something unknown is named by its path', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-services-lanes-'));
    mkdirSync(join(folder, 'unit'));
    writeFileSync(join(folder, 'unit', 'a.spec.ts'), '// @sometimes: slow\n');
    expect(() => leftOut(folder, 'none', false)).toThrow('unit/a.spec.ts: // @sometimes: slow');
    rmSync(folder, { recursive: true });
  });
});

it('every spec runs with TEST_LONG=1: units once, others on at least one database', () => {
  const never = leftOut(tests, 'sqlite', true).filter((path) => leftOut(tests, 'postgresql', true).includes(path));
  expect([...never, ...leftOut(tests, 'none', true).filter((path) => !path.endsWith('.e2e-spec.ts'))]).toEqual([]);
});
