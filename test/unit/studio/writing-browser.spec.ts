// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio says what is wrong before something is saved, sent or given away, and is fast and calm meanwhile', {
  program: 'studio-writing.mjs',
  withServer: true,
});
