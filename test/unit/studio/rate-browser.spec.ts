// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio uses at most a tenth of the rate of a key, and reports when the key has no points left', {
  program: 'studio-rate.mjs',
  withServer: true,
  // The page of mails takes 256 points when it opens: 128 for the list and 128 for the newest.
  settings: { RATE_LIMIT_PER_MINUTE: '300' },
});
