// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio shows all lists alike: heads that sort, rows of one line, filters that stay, a detail that moves along', {
  program: 'studio-lists.mjs',
  withServer: true,
});
