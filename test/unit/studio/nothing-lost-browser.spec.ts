// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio loses no secret, filter, style, row, request or focus, and recovers after a key was revoked', {
  program: 'studio-nothing-lost.mjs',
  withServer: true,
});
