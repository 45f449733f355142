import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio uploads, shows, changes and deletes files', {
  program: 'studio-files.mjs',
  withServer: true,
});
