// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio reports errors before something is saved or sent, and stays fast and calm meanwhile', {
  program: 'studio-writing.mjs',
  withServer: true,
});
