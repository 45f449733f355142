// @nightly: thousands of attacks
import { itInBrowser } from '../support/browser.js';

itInBrowser('a parameter of a template never runs a script in a real browser, whatever it is and wherever it stands', {
  program: 'template-attacks.mjs',
});
