// Lints /openapi.json by all rules of Spectral, for npm run test:clients.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/** Rules for what the operator of a server states, and for the order of tags, which is that of the docs. */
const OFF = ['info-license', 'license-url', 'contact-properties', 'openapi-tags-alphabetical'];

/** Lints the document of this build with the Spectral installed in a folder. */
export async function lintOpenApi(tools) {
  const require = createRequire(join(tools, 'package.json'));
  const part = (name) => require(`@stoplight/spectral-${name}`);
  const { Document, Spectral } = part('core');
  const { Json } = part('parsers');
  const { oas } = part('rulesets');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'all']], rules: Object.fromEntries(OFF.map((name) => [name, 'off'])) });
  const { startPlatform } = await import('../clients/testing/dist/index.js');
  const platform = await startPlatform({ command: [process.execPath, join(root, 'dist', 'bundle', 'main.js')] });
  try {
    const { address } = await platform.newTenant();
    const text = await (await fetch(`${address}/openapi.json`)).text();
    const problems = await spectral.run(new Document(text, Json, 'openapi.json'));
    assert.deepEqual(problems.map(({ code, message, path }) => [code, message, path.join('/')]), []); // prettier-ignore
  } finally {
    await platform.stop();
  }
}
