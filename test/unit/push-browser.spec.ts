import { itInBrowser } from '../support/browser.js';

itInBrowser('a page in a real browser receives pushes, confirms them by its pongs, and can tell why it was closed', {
  program: 'push.mjs',
  withServer: true,
});
