// node test/browser/studio-schedule.mjs ADDRESS KEY: scheduled mails in the page Email of Studio: one is written, found, rescheduled and
// cancelled; one arrives at its time.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const email = asker('email', { address, key });
// Unique, so that it can run again.
const RUN = Date.now().toString(36);
const LATER = `Later ${RUN}`;
const DAY_MS = 86_400_000;
const FIELD = 'input[type="datetime-local"]';

const inMs = (ms) => new Date(Date.now() + ms);
const wholeMinute = (time) => `${time.toISOString().slice(0, 16)}:00.000Z`;
const schedule = async (subject, sendAt) =>
  (
    await email('mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }', {
      i: { to: [{ address: 'ann@example.com' }], subject, textBody: 'x', sendAt },
    })
  ).sendMessage.id;
const find = async (id) =>
  (await email('query($id: ID!) { messages(filter: {id: $id}) { items { status sendAt } } }', { id })).messages.items[0];
const shownId = (tab) => new URL(tab.page.url()).pathname.split('/').at(-1);
const rows = (tab) => tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText.replace(/\s+/g, ' ')));

/** Sets the field of a time, as the clock of the reader has it: it cannot be typed alike in all languages. */
const choose = (tab, time) =>
  tab.page.$eval(
    FIELD,
    (input, at) => {
      const local = at && new Date(new Date(at).getTime() - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, local);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    time?.toISOString() ?? '',
  );
const press = (tab, name) => tab.page.locator(`[role=dialog] ::-p-aria([name="${name}"][role="button"])`).click();

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/email?scheduled=true' });
  await tab.sees('No emails are scheduled');
  await tab.review('schedule-empty');
  await written(tab);
  await rescheduled(tab);
  await found(tab);
  await begunMeanwhile(tab);
  await cancelled(tab);
  await arrived(tab);
  await expedited(tab);
  await fromRows(tab);
  tab.checkClean('schedule');
  await phone();
} finally {
  await browser.close();
}
finish();

async function written(tab) {
  await tab.go('/email/compose');
  await tab.page.locator('::-p-aria([name="To"][role="combobox"])').click();
  await tab.page.keyboard.type('ann@example.com,');
  await tab.fill('Subject', LATER);
  await tab.page.locator('textarea').fill('Hello');
  await tab.click('button', 'Send later');
  await choose(tab, new Date('2020-01-01T00:00:00Z'));
  await tab.click('button', 'Schedule');
  await tab.sees('Must be in the future', '.fault');
  await choose(tab, inMs(40 * DAY_MS));
  await tab.click('button', 'Schedule');
  await tab.sees('Must be at most 30 days ahead', '.fault');
  check('a time that is over, or too far ahead, is refused at its field', true);
  await tab.review('schedule-compose');
  const sendAt = inMs(2 * DAY_MS);
  await choose(tab, sendAt);
  await tab.click('button', 'Schedule');
  await tab.sees(LATER, '.detail h2');
  await tab.sees('Scheduled', '.detail .status');
  await tab.sees('Scheduled', '.detail .timeline');
  const stored = await find(shownId(tab));
  check('a mail is scheduled for the minute that was chosen', stored.sendAt === wholeMinute(sendAt), JSON.stringify(stored));
  await tab.review('schedule-mail');
}

async function rescheduled(tab) {
  const id = shownId(tab);
  await tab.click('button', 'Reschedule');
  await tab.sees('Reschedule email', '[role=dialog] h2');
  await choose(tab, undefined);
  await press(tab, 'Reschedule');
  await tab.sees('Enter a date and time.', '[role=dialog] .fault');
  await choose(tab, new Date('2020-01-01T00:00:00Z'));
  await press(tab, 'Reschedule');
  await tab.sees('Must be in the future', '[role=dialog] .fault');
  await tab.review('schedule-dialog');
  const sendAt = inMs(5 * DAY_MS);
  await choose(tab, sendAt);
  await press(tab, 'Reschedule');
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  const stored = await find(id);
  check('a mail is rescheduled', stored.sendAt === wholeMinute(sendAt), JSON.stringify(stored));
  await tab.sees('in 5 days', '.detail');
}

async function expedited(tab) {
  const subject = `Expedited ${RUN}`;
  const id = await schedule(subject, inMs(3 * DAY_MS));
  await tab.go(`/email/${id}`);
  await tab.sees('in 3 days', '.detail');
  await tab.click('button', 'Send now');
  await tab.sees('Sent', '.detail .status');
  const { status } = await find(id);
  check('a scheduled mail is sent now', status === 'SENT', status);
}

async function fromRows(tab) {
  const [sent, stopped] = [`Sent from its row ${RUN}`, `Cancelled from its row ${RUN}`];
  const ids = [await schedule(sent, inMs(DAY_MS)), await schedule(stopped, inMs(DAY_MS))];
  await tab.go('/email?scheduled=true');
  await chooseInRow(tab, sent, 'Send now');
  await until('the mail is sent', async () => (await find(ids[0])).status === 'SENT');
  check('a scheduled mail is sent now from its row', true);
  await chooseInRow(tab, stopped, 'Cancel email');
  await tab.sees('No recipient gets this email.', '[role="alertdialog"]');
  await tab.page.locator('[role="alertdialog"] ::-p-aria([name="Cancel email"][role="button"])').click();
  await tab.sees('Email cancelled');
  check('a scheduled mail is cancelled from its row, after a question', (await find(ids[1])).status === 'FAILED');
}

/** Chooses an action of the row that has a text. */
async function chooseInRow(tab, text, action) {
  const row = await tab.page.waitForFunction(
    (wanted) => [...document.querySelectorAll('.record')].find(({ innerText }) => innerText.includes(wanted)),
    {},
    text,
  );
  await row.asElement().hover();
  const menu = await tab.page.waitForFunction((record) => record.querySelector('button'), {}, row);
  await menu.asElement().click();
  await tab.click('menuitem', action);
}

async function found(tab) {
  const hostile = `${HOSTILE.join(' ')} ${RUN}`;
  await schedule(hostile, inMs(DAY_MS));
  await email('mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }', {
    i: { to: [{ address: 'ben@example.com' }], subject: `Now ${RUN}`, textBody: 'x' },
  });
  await tab.go('/email');
  await tab.sees(`Now ${RUN}`, '.record');
  await tab.click('button', 'Status');
  await tab.click('menuitemradio', 'Scheduled');
  await tab.page.waitForFunction(() => location.search === '?scheduled=true');
  await until('the scheduled mails', async () => {
    const shown = await rows(tab);
    return shown.length === 2 && shown.every((row) => row.startsWith('Scheduled') && row.includes('Sends in'));
  });
  check('the scheduled mails are a filter, and say when they are sent', true);
  await tab.review('schedule-list');
  await tab.click('button', 'Status: Scheduled');
  await tab.click('menuitemradio', 'Sent');
  await tab.page.waitForFunction(() => location.search === '?status=SENT');
  await tab.sees(`Now ${RUN}`, '.record');
  check(
    'a state takes the place of that filter',
    (await rows(tab)).every((row) => !row.includes('Scheduled')),
  );
}

async function begunMeanwhile(tab) {
  const id = await schedule(`Too late ${RUN}`, inMs(DAY_MS));
  await tab.go(`/email/${id}`);
  await tab.click('button', 'Reschedule');
  await tab.sees('Reschedule email', '[role=dialog] h2');
  await email('mutation($id: ID!) { cancelMessage(id: $id) { id } }', { id });
  await choose(tab, inMs(2 * DAY_MS));
  await press(tab, 'Reschedule');
  await tab.sees('Couldn’t reschedule the email.', '.notice');
  await tab.sees('cannot be rescheduled', '.notice');
  check('a reschedule reports what happened to the mail meanwhile', true);
  await tab.axe('a refused time');
  await press(tab, 'Cancel');
}

async function cancelled(tab) {
  const id = await schedule(`Wrong ${RUN}`, inMs(DAY_MS));
  await tab.go(`/email/${id}`);
  await tab.click('button', 'Cancel email');
  await tab.sees(`Cancel “Wrong ${RUN}”?`, '[role="alertdialog"]');
  await tab.review('schedule-cancel');
  await tab.click('button', 'Keep email');
  await tab.page.waitForSelector('[role="alertdialog"]', { hidden: true });
  check('a mail that is not cancelled stays scheduled', (await find(id)).status === 'QUEUED');
  await tab.click('button', 'Cancel email');
  await tab.page.locator('[role="alertdialog"] ::-p-aria([name="Cancel email"][role="button"])').click();
  await tab.sees('Cancelled', '.detail .status');
  check('a mail is cancelled', (await find(id)).status === 'FAILED');
}

async function arrived(tab) {
  const id = await schedule(`On time ${RUN}`, inMs(5_000));
  await tab.go(`/email/${id}`);
  await tab.sees(`On time ${RUN}`, '.detail h2');
  await tab.sees('Sent', '.detail .status');
  check('a mail that is sent at its time is shown so by itself', (await find(id)).status === 'SENT');
}

async function phone() {
  const id = await schedule(`Phone ${RUN}`, inMs(DAY_MS));
  const tab = await StudioTab.open(browser, { address, key, path: '/email?scheduled=true', size: PHONE });
  const isNarrow = async (what) => {
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
    check(`a phone shows ${what} without scrolling sideways`, width <= PHONE.width, String(width));
  };
  await tab.sees(`Phone ${RUN}`, '.record');
  await isNarrow('scheduled mails');
  await tab.shot('schedule-list');
  await tab.go(`/email/${id}`);
  await tab.sees('Scheduled', '.detail .timeline');
  await isNarrow('a scheduled mail');
  await tab.axe('a scheduled mail on a phone');
  await tab.click('button', 'Reschedule');
  await tab.sees('Reschedule email', '[role=dialog] h2');
  await isNarrow('the choice of another time');
  tab.checkClean('phone');
}
