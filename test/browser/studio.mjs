// Parts that every check of Studio has: a tab with a key, and a record of everything that must not happen in it. STUDIO_SHOTS names a
// folder for screenshots; without it none are made.
import { join } from 'node:path';
import axe from 'axe-core';
import { check, WAIT_MS } from './browser.mjs';
import { readPng } from './png.mjs';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules that judge colours. All others say the same in both themes. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const SHOTS = process.env.STUDIO_SHOTS;
const PATIENCE_MS = 10_000;
export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** Values that run a script wherever a page takes them for HTML, an address or code. The script would call `hacked`. */
export const HOSTILE = [
  '<img src=x onerror="hacked()">',
  '"><script>hacked()</script>',
  `'-hacked()-'`,
  'javascript:hacked()',
  '<svg onload=hacked()>',
  '{{constructor.constructor("hacked()")()}}',
  '</style><script>hacked()</script>',
];

export class StudioTab {
  faults = [];
  /** Whether the browser may ask before the page is left; accepted. */
  mayAsk = false;
  foreign = new Set();
  /** Bytes that were received, as sent, with headers. */
  receivedBytes = 0;
  theme = 'light';

  /** Opens a page of Studio, such as `/files`. Without a key it asks for one. */
  static async open(browser, { address, key, path = '', size = WIDE }) {
    const tab = new StudioTab();
    tab.address = address;
    // A context of its own, since tabs of one share their key.
    const context = await browser.createBrowserContext();
    tab.page = await context.newPage();
    tab.page.setDefaultTimeout(WAIT_MS);
    await tab.page.setViewport(size);
    await tab.record();
    if (key) await tab.page.evaluateOnNewDocument(keepKey, key);
    await tab.go(path);
    return tab;
  }

  async record() {
    const { page } = this;
    page.on('pageerror', (error) => this.faults.push(`page error: ${error.message}`));
    page.on('console', (message) => {
      // A refusal or a lost server shows as a failed load too. The page says so itself, which the checks look at.
      const isFault = message.type() === 'error' && !message.text().startsWith('Failed to load resource');
      if (isFault) this.faults.push(`console error: ${message.text()}`);
    });
    page.on('request', (request) => this.note(request.url()));
    await page.exposeFunction('hacked', () => this.faults.push('a script of a stored value ran'));
    await page.exposeFunction('noteViolation', (text) => this.faults.push(`CSP violation: ${text}`));
    await page.exposeFunction('noteRead', (media) => this.faults.push(`${media} was read where its change is waited for`));
    await page.evaluateOnNewDocument(noteReads);
    await page.evaluateOnNewDocument(() =>
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        globalThis.noteViolation?.(`${effectiveDirective} ${blockedURI}`),
      ),
    );
    page.on('dialog', (dialog) => {
      if (!this.mayAsk) this.faults.push(`the browser asked: ${dialog.type()} ${dialog.message()}`);
      void dialog.accept(); // else each further step waits for an answer
    });
    const client = await page.createCDPSession();
    client.on('Network.webSocketCreated', ({ url }) => this.note(url));
    client.on('Network.loadingFinished', ({ encodedDataLength }) => (this.receivedBytes += encodedDataLength));
    await client.send('Network.enable');
  }

  note(text) {
    const { protocol, host } = new URL(text);
    if (!['data:', 'blob:', 'about:', 'chrome:', 'chrome-extension:'].includes(protocol) && host !== new URL(this.address).host)
      this.foreign.add(text);
  }

  async go(path) {
    await this.page.goto(`${this.address}/studio${path}`, { waitUntil: 'domcontentloaded' });
  }

  /** Waits for a text to be seen, in an element if one is named. Changes of others are polled one source after another, and at once by a tab that is shown again. */
  async sees(text, selector = 'body') {
    const isSeen = (timeout) =>
      this.page.waitForFunction(
        (wanted, where) => [...document.querySelectorAll(where)].some((element) => element.innerText.includes(wanted)),
        { timeout },
        text,
        selector,
      );
    await isSeen(PATIENCE_MS).catch(async () => {
      await this.comeBack();
      await isSeen(WAIT_MS);
    });
  }

  /** Comes back to the tab, as from another one. */
  comeBack() {
    const event = () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    return this.page.evaluate(event).catch(() => undefined); // a page that was left
  }

  /** Clicks what is called so by its role, as a screen reader would find it. */
  click(role, name) {
    return this.clickOn(`::-p-aria([name="${name}"][role="${role}"])`);
  }

  /** Clicks an element. Closes toasts in front of it, as a person would. */
  clickOn(selector) {
    return named(`click on ${selector}`, this.page.locator(selector).filter(isUncovered).click());
  }

  /** Replaces the text of a field that is labelled so; of a role, if other things on the page may be called the same. */
  async fill(label, text, role) {
    const found = this.page.locator(`::-p-aria([name="${label}"]${role ? `[role="${role}"]` : ''})`);
    await named(`text of "${label}"`, found.fill(text));
  }

  /** Replaces the text of a code field, whose editor is loaded when it is focused. */
  async write(label, text) {
    await this.page.locator(`::-p-aria([name="${label}"][role="textbox"])`).click();
    const editor = await this.page.waitForSelector(`.cm-content[aria-label="${label}"]`);
    await editor.focus();
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.sendCharacter(text);
  }

  /** Opens the record of the list that begins with a text. */
  async openRecord(text) {
    await this.page.waitForFunction(
      (wanted) => {
        const record = [...document.querySelectorAll('.record')].find(({ innerText }) => innerText.startsWith(wanted));
        record?.click();
        return Boolean(record);
      },
      {},
      text,
    );
  }

  /** Checks the accessibility of what is shown, in both themes, and makes pictures of it. */
  async review(name) {
    for (const theme of ['light', 'dark']) {
      this.theme = theme;
      await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await this.page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, {}, theme);
      await this.axe(`${name}, ${theme}`, theme === 'light' ? TAGS : OF_COLOURS);
      await this.checkCharts(`${name}, ${theme}`);
      await this.shot(name);
    }
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  }

  async axe(what, wanted = TAGS) {
    await settled(this.page);
    await this.page.evaluate(axe.source); // by the debugger, which the policy of the page does not bind
    const violations = await this.page.evaluate(async (runOnly) => {
      // Menus and tooltips lie beside all landmarks.
      const regionMatcher = 'dialog, [role=dialog], [role=alertdialog], svg, [data-base-ui-portal]';
      globalThis.axe.configure({ checks: [{ id: 'region', options: { regionMatcher } }] });
      const { violations } = await globalThis.axe.run(document, { runOnly, iframes: false });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' ; ')}`,
      );
    }, wanted);
    check(
      `${what}: no violation of WCAG 2.2 AA or of a best practice`,
      violations.length === 0,
      violations.join(' | ').slice(0, 1_500),
    );
  }

  /** Checks in a picture that each bar of a chart has the colour of its series. */
  async checkCharts(what) {
    await settled(this.page);
    const bars = await this.page.$$eval('.chart-bar', (all) =>
      all.map((bar) => {
        const { x, y, width, height } = bar.getBoundingClientRect();
        const [, ...channels] = /(\d+), (\d+), (\d+)/.exec(getComputedStyle(bar).fill);
        const colour = `#${channels.map((one) => Number(one).toString(16).padStart(2, '0')).join('')}`;
        return { x: Math.floor(x + width / 2), y: Math.floor(y + height / 2), isSmall: Math.min(width, height) < 3, colour };
      }),
    );
    const { width, height } = this.page.viewport();
    const shown = bars.filter(({ x, y, isSmall }) => !isSmall && x >= 0 && x < width && y >= 0 && y < height);
    if (shown.length === 0) return;
    const { pixelAt } = readPng(Buffer.from(await this.page.screenshot()));
    const wrong = shown.filter(({ x, y, colour }) => pixelAt(x, y) !== colour);
    const seen = wrong.map(({ x, y, colour }) => `${pixelAt(x, y)} in place of ${colour} at ${x}, ${y}`);
    check(`${what}: each bar has the colour of its series`, wrong.length === 0, seen.join('; '));
  }

  async shot(name) {
    if (!SHOTS) return;
    await settled(this.page);
    const { width } = this.page.viewport();
    const size = width < 600 ? '-phone' : '';
    await this.page.screenshot({ path: join(SHOTS, `studio-${name}${size}-${this.theme}.png`) });
  }

  /** Nothing may have gone wrong in the tab, and nothing may have left the origin. */
  checkClean(what) {
    check(`${what}: nothing went wrong in the page, and no stored value ran`, this.faults.length === 0, this.faults.join('; '));
    check(`${what}: no request left the origin`, this.foreign.size === 0, [...this.foreign].join());
  }
}

/** Returns true if no toast is in front of an element; else closes all, since the others move when one is closed. Runs in the page. */
function isUncovered(element) {
  element.scrollIntoView({ block: 'nearest' });
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const toasts = [...document.querySelectorAll('.toast')].filter((toast) => !toast.contains(element));
  const isCovered = toasts.some((toast) => {
    const box = toast.getBoundingClientRect();
    return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
  });
  if (isCovered) for (const toast of toasts) [...toast.querySelectorAll('button')].at(-1).click();
  return !isCovered;
}

/** Names the step in its error: a time-out of the browser says only how long it waited. */
function named(step, done) {
  return done.catch((error) => {
    throw new Error(`${step}: ${error.message}`, { cause: error });
  });
}

/** Notes what reads a media query whose change is listened for: Chromium sends no event for a change that was read before it. */
function noteReads() {
  const heard = new WeakSet();
  const { prototype } = globalThis.MediaQueryList;
  const { get } = Object.getOwnPropertyDescriptor(prototype, 'matches');
  prototype.addEventListener = function (...args) {
    heard.add(this);
    return EventTarget.prototype.addEventListener.apply(this, args);
  };
  const read = function () {
    if (heard.delete(this)) globalThis.noteRead?.(this.media); // once for each
    return get.call(this);
  };
  Object.defineProperty(prototype, 'matches', { get: read });
}

/** Gives a page its key. A frame in a sandbox has no storage, and needs none. */
function keepKey(key) {
  if (globalThis.origin !== 'null') sessionStorage.setItem('platform-services-key', key);
}

/** Waits until nothing moves any more, and each chart is drawn: its script is loaded after the page. */
async function settled(page) {
  // What opens has the style from which it starts for one frame, before its animation runs.
  await page.waitForFunction(
    () =>
      !document.querySelector('[data-starting-style]') &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
  await page.waitForFunction(
    () =>
      !document.querySelector('.chart-strip-room') &&
      [...document.querySelectorAll('.chart-place')].every((chart) => chart.querySelector('svg')),
  );
}
