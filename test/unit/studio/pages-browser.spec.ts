// @nightly: minutes of every page
import { itInBrowser } from '../../support/browser.js';

itInBrowser('an idle page of Studio sends at most four requests a minute, a hidden one none, and each fits 320 px', {
  program: 'studio-pages.mjs',
  withServer: true,
});
