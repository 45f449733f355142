// @nightly: beyond the main paths of a browser
import { CHROMIUM } from '../../support/chromium.js';
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio edits partials and translations, shows what uses them, and prints a template as PDF', {
  program: 'studio-parts.mjs',
  withServer: true,
  settings: { CHROMIUM_PATH: CHROMIUM },
});
