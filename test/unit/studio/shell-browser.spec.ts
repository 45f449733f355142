import { itInBrowser } from '../../support/browser.js';

itInBrowser(
  'Studio opens with a key, refuses a wrong one, forgets it, leads everywhere by keyboard, and comes back by itself after a restart',
  {
    program: 'studio-shell.mjs',
    withServer: true,
  },
);
