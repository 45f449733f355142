// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio opens with a rate of 100 points, uses at most a tenth of it, and reports when the key has none left', {
  program: 'studio-rate.mjs',
  withServer: true,
  settings: { RATE_LIMIT_PER_MINUTE: '100' },
});
