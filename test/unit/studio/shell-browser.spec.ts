import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio opens with a key, refuses a wrong one, forgets it, is usable by keyboard, and reconnects after a restart', {
  program: 'studio-shell.mjs',
  withServer: true,
});
