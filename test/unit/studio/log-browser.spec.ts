// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio shows the history and any past state of a document, and verifies the seal', {
  program: 'studio-log.mjs',
  withServer: true,
});
