import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio makes tenants and keys for the operator, and rotates and revokes keys', {
  program: 'studio-keys.mjs',
  timeoutMs: 300_000,
  withServer: true,
});
