// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio writes a template with an error, shows it at its line, and saves it mended', {
  program: 'studio-templates.mjs',
  withServer: true,
});
