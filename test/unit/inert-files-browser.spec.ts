import { itInBrowser } from '../support/browser.js';

itInBrowser('a script in a file never runs in a real browser with the origin of the service, whatever the type of the file', {
  program: 'inert-files.mjs',
  withServer: true,
});
