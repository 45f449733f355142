// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio shows which addresses receive no mail and why, and adds and removes them', {
  program: 'studio-suppressions.mjs',
  withServer: true,
  settings: { TESTING_KEY: 'only-for-tests-of-studio' },
});
