import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { itInBrowser } from '../support/browser.js';

const CLIENT = fileURLToPath(new URL('../../clients/js', import.meta.url));

itInBrowser('a page in a real browser uploads, downloads and stays connected by one script and without a key', {
  program: 'client.mjs',
  withServer: true,
});

it('a bundle of the client contains only what the page uses', async () => {
  const input = join(mkdtempSync(join(tmpdir(), 'platform-services-page-')), 'page.js');
  writeFileSync(input, `export { connect } from '${CLIENT}/dist/browser.js';`);
  const { output } = await build({ input, platform: 'browser', write: false, output: { minify: true } });
  rmSync(dirname(input), { recursive: true });
  const connecting = output[0].code;
  expect(connecting).toContain('pagehide');
  expect(connecting).not.toMatch(/XMLHttpRequest|content-range|TransformStream/);
});

it('the package has no dependency, and its browser part imports nothing of Node', () => {
  const { dependencies, sideEffects } = JSON.parse(readFileSync(`${CLIENT}/package.json`, 'utf8'));
  expect({ dependencies, sideEffects }).toEqual({ dependencies: undefined, sideEffects: false });
  expect(readFileSync(`${CLIENT}/dist/platform-services.js`, 'utf8')).not.toMatch(/node:|x-api-key/);
});
