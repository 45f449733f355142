import { itInBrowser } from '../support/browser.js';

itInBrowser('no script in a file runs in a real browser with the origin of the service, whatever the type of the file', {
  program: 'inert-files.mjs',
  withServer: true,
});
