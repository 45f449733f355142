import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild-wasm';
import { itInBrowser } from '../support/browser.js';

const CLIENT = fileURLToPath(new URL('../../clients/js', import.meta.url));

itInBrowser('a page in a real browser uploads, downloads and stays connected by one script and without a key', {
  program: 'client.mjs',
  timeoutMs: 90_000,
  withServer: true,
});

it('a bundle of the client has only what the page uses', async () => {
  const bundleOf = async (contents: string) => {
    const stdin = { contents, resolveDir: CLIENT };
    const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'esm', minify: true, platform: 'browser' });
    return outputFiles[0]!.text;
  };
  const connecting = await bundleOf("export { connect } from './dist/browser.js'");
  expect(connecting).toContain('pagehide');
  expect(connecting).not.toMatch(/XMLHttpRequest|content-range|TransformStream/);
});

it('the package depends on nothing, and its part for pages imports nothing of Node', () => {
  const { dependencies, sideEffects } = JSON.parse(readFileSync(`${CLIENT}/package.json`, 'utf8'));
  expect({ dependencies, sideEffects }).toEqual({ dependencies: undefined, sideEffects: false });
  expect(readFileSync(`${CLIENT}/dist/platform-services.js`, 'utf8')).not.toMatch(/node:|x-api-key/);
});
