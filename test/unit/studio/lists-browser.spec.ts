// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser(
  'Studio shows all lists alike: headers that sort, rows of one height, persistent filters, a detail panel that follows',
  {
    program: 'studio-lists.mjs',
    withServer: true,
  },
);
