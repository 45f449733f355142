import { areMet, needing, SERVICE } from './needs.js';

const { TEST_CHROMIUM } = process.env;

/** Path of the Chromium that tests print with. */
export const CHROMIUM = TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Settings of a server that runs a page of ours, and the page; without a Chromium, the page without its section on PDF. */
export const printable = (page: string): { settings: Record<string, string>; page: string; shown: string[] } =>
  areMet(SERVICE.chromium)
    ? { settings: { CHROMIUM_PATH: CHROMIUM }, page, shown: ['printed 1'] }
    : { settings: {}, page: page.replace(/^## PDF\n.*?(?=^## )/ms, ''), shown: [] };

export const describeWithChromium = (name: string, tests: () => void): void => needing(SERVICE.chromium).describe(name, tests);
