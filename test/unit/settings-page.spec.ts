import { readFileSync } from 'node:fs';
import { envExample, readSettings, settingsPage } from '../../scripts/settings-page.mjs';
import * as environment from '../../src/common/config/environment.js';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('the output of npm run settings', () => {
  it('is docs/settings.md, with every setting', async () => {
    const page = settingsPage(await readSettings(environment));
    expect(read('docs/settings.md')).toBe(page);
    const named = [...page.matchAll(/^\| `([A-Z\d_]+)` /gm)].map(([, name]) => name);
    expect(named).toEqual(environment.SETTINGS.map(({ name }) => name));
  });

  it('is .env.example', async () => {
    expect(read('.env.example')).toBe(envExample(await readSettings(environment)));
  });
});
