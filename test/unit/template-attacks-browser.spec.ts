// @nightly: thousands of attacks
import { itInBrowser } from '../support/browser.js';

itInBrowser('no parameter of a template runs a script in a real browser, whatever it is and wherever it stands', {
  program: 'template-attacks.mjs',
});
