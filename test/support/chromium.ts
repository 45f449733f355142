const { TEST_CHROMIUM, REQUIRE_SERVICES } = process.env;

/** Path of the Chromium that tests print with. */
export const CHROMIUM = TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Whether tests print. */
const isThere = Boolean(TEST_CHROMIUM) || REQUIRE_SERVICES === '1';

/** Settings of a server that runs a page of ours, and the page; without a Chromium, the page without its section on PDF. */
export const printable = (page: string): { settings: Record<string, string>; page: string; shown: string[] } =>
  isThere
    ? { settings: { CHROMIUM_PATH: CHROMIUM }, page, shown: ['printed 1'] }
    : { settings: {}, page: page.replace(/^## PDF\n.*?(?=^## )/ms, ''), shown: [] };

/** Tests that need it. With REQUIRE_SERVICES=1 they fail where it is absent. */
export const describeWithChromium = isThere ? describe : describe.skip;
