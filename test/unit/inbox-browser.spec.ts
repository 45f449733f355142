import { itInBrowser } from '../support/browser.js';

itInBrowser('an inbox in a page is usable by keyboard, has no violation of WCAG 2.2 AA, and agrees with that in another tab', {
  program: 'inbox.mjs',
  withServer: true,
});
