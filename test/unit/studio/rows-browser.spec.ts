// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio fits lists to the window, acts on all that match, moves files by a tree, and loses no draft of an email', {
  program: 'studio-rows.mjs',
  withServer: true,
});
