// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio connects as a recipient, pushes, and shows the message as delivered', {
  program: 'studio-push.mjs',
  withServer: true,
});
