import { readFileSync } from 'node:fs';
import { SETTINGS } from '../../src/common/config/environment.js';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);
/** Settings of the containers themselves, whatever .env says to a server outside of them. */
const OF_THE_CONTAINERS = ['DATABASE_URL', 'DATA_DIR', 'HOST'];

describe('settings in .env.example', () => {
  const documented = namesIn(read('.env.example'), /^# ([A-Z_]+)=/gm).sort();

  it('are those that config.ts reads', () => {
    expect(documented).toEqual(SETTINGS.map(({ name }) => name).sort());
  });

  it('are all described for the command line', () => {
    expect(SETTINGS.filter(({ description }) => description === '')).toEqual([]);
  });

  it('are all passed by docker-compose.yml', () => {
    const [, environment = ''] =
      /\nx-node: &node\n.*?\n {2}environment:\n(.*?)\n {2}depends_on:/s.exec(read('docker-compose.yml')) ?? [];
    const passed = [...environment.matchAll(/^ {4}([A-Z_]+): (.*)$/gm)].map(([, name, value]) => ({
      name: name!,
      value: value!,
    }));
    expect(passed.map(({ name }) => name).sort()).toEqual(documented);
    const fixed = passed.filter(({ name, value }) => !value.includes(`\${${name}:-`));
    expect(fixed.map(({ name }) => name).sort()).toEqual(OF_THE_CONTAINERS);
  });
});
