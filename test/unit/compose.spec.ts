import { readFileSync } from 'node:fs';
import { SETTINGS } from '../../src/common/config/environment.js';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);
/** Settings of the containers themselves, whatever .env says to a server outside of them. */
const OF_THE_CONTAINERS = ['DATABASE_URL', 'DATA_DIR', 'HOST'];

describe('settings in .env.example', () => {
  const documented = namesIn(read('.env.example'), /^# ([A-Z\d_]+)=/gm).sort();

  it('are those that config.ts reads', () => {
    expect(documented).toEqual(SETTINGS.map(({ name }) => name).sort());
  });

  it('are all described for the command line', () => {
    expect(SETTINGS.filter(({ description }) => description === '')).toEqual([]);
  });

  it('are all passed by docker-compose.yml', () => {
    const [, environment = ''] =
      /\nx-node: &node\n.*?\n {2}environment:\n(.*?)\n {2}depends_on:/s.exec(read('docker-compose.yml')) ?? [];
    const passed = [...environment.matchAll(/^ {4}([A-Z\d_]+): (.*)$/gm)].map(([, name, value]) => ({
      name: name!,
      value: value!,
    }));
    const earlier = SETTINGS.flatMap((setting) => setting.earlier ?? []);
    expect(earlier).toContain('MINIO_SECRET_KEY');
    expect(passed.map(({ name }) => name).sort()).toEqual([...documented, ...earlier].sort());
    const fixed = passed.filter(({ name, value }) => !value.includes(`\${${name}:-`));
    expect(fixed.map(({ name }) => name).sort()).toEqual(OF_THE_CONTAINERS);
  });
});
