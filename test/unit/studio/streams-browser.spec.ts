// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';
import { RECEIVER_SETTINGS } from '../../support/webhooks.js';

itInBrowser('Studio creates log streams, shows their health and queued records, and rewinds them', {
  program: 'studio-streams.mjs',
  withServer: true,
  settings: RECEIVER_SETTINGS,
});
