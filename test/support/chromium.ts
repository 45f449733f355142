const { TEST_CHROMIUM, REQUIRE_SERVICES } = process.env;

/** Path of the Chromium that tests print with. */
export const CHROMIUM = TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Tests that need it. With REQUIRE_SERVICES=1 they fail where it is absent. */
export const describeWithChromium = TEST_CHROMIUM || REQUIRE_SERVICES === '1' ? describe : describe.skip;
