// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio shows an error of a template at its line, and saves the fixed template', {
  program: 'studio-templates.mjs',
  withServer: true,
});
