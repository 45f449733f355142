// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio schedules mails, shows what waits for its time, and reschedules and cancels it', {
  program: 'studio-schedule.mjs',
  withServer: true,
});
