import { areMet, needing, SERVICE } from './needs.js';

const { TEST_CHROMIUM } = process.env;

/** Path of the Chromium for printing tests. */
export const CHROMIUM = TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Settings of a server that prints the test page, and the page; without a Chromium, the page without its PDF section. */
export const printable = (page: string): { settings: Record<string, string>; page: string; shown: string[] } =>
  areMet(SERVICE.chromium)
    ? { settings: { CHROMIUM_PATH: CHROMIUM }, page, shown: ['printed 1'] }
    : { settings: {}, page: page.replace(/^## PDF\n.*?(?=^## )/ms, ''), shown: [] };

export const describeWithChromium = (name: string, tests: () => void): void => needing(SERVICE.chromium).describe(name, tests);
