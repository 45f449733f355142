// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio shows a mail as its recipient sees it, and the state for each recipient', {
  program: 'studio-email.mjs',
  withServer: true,
});
