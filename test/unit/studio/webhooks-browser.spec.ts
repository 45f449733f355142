// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';
import { RECEIVER_SETTINGS } from '../../support/webhooks.js';

itInBrowser('Studio creates webhooks, shows their health and deliveries, and resends events', {
  program: 'studio-webhooks.mjs',
  withServer: true,
  settings: RECEIVER_SETTINGS,
});
