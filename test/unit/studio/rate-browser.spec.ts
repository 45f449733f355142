// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio takes at most a tenth of the rate of a key, and says when the key has no points left', {
  program: 'studio-rate.mjs',
  withServer: true,
  settings: { RATE_LIMIT_PER_MINUTE: '100' },
});
