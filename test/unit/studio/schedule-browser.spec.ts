// @nightly: beyond the main paths of a browser
import { itInBrowser } from '../../support/browser.js';

itInBrowser('Studio schedules mails, shows scheduled ones, and reschedules and cancels them', {
  program: 'studio-schedule.mjs',
  withServer: true,
});
