// @nightly: minutes of every page
import { itInBrowser } from '../../support/browser.js';

itInBrowser(
  'Every page of Studio that nobody touches sends at most four requests a minute, a hidden one none, and each fits 320 px',
  {
    program: 'studio-pages.mjs',
    withServer: true,
  },
);
