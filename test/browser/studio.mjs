// Parts that every check of Studio has: a tab with a key, and a record of everything that must not happen in it. STUDIO_SHOTS names a
// folder for screenshots; without it none are made.
import { join } from 'node:path';
import axe from 'axe-core';
import { check, WAIT_MS } from './browser.mjs';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
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
  foreign = new Set();
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
    const client = await page.createCDPSession();
    client.on('Network.webSocketCreated', ({ url }) => this.note(url));
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
  async click(role, name) {
    await this.page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click();
  }

  /** Replaces the text of a field that is labelled so. */
  async fill(label, text) {
    await this.page.locator(`::-p-aria([name="${label}"])`).fill(text);
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
      await this.shot(name);
    }
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  }

  async axe(what, wanted = TAGS) {
    await settled(this.page);
    await this.page.evaluate(axe.source); // by the debugger, which the policy of the page does not bind
    const violations = await this.page.evaluate(async (runOnly) => {
      const { violations } = await globalThis.axe.run(document, { runOnly, iframes: false });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' ; ')}`,
      );
    }, wanted);
    check(`${what}: no violation of WCAG 2.2 AA`, violations.length === 0, violations.join(' | ').slice(0, 1_500));
  }

  async shot(name) {
    if (!SHOTS) return;
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
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
  await page.waitForFunction(() => {
    const isDrawn = (canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value, at) => at % 4 === 3 && value > 0);
    };
    return [...document.querySelectorAll('.overview-lane, .chart-place')].every((chart) => {
      const canvas = chart.querySelector('canvas');
      return canvas && (canvas.width === 0 || isDrawn(canvas));
    });
  });
}
