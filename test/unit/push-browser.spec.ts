import { itInBrowser } from '../support/browser.js';

itInBrowser('a page in a real browser receives pushes, its pongs confirm them, and it can tell why it was closed', {
  program: 'push.mjs',
  withServer: true,
});
