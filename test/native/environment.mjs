// Node's own import for tests, which run in a context of their own: what is imported this way is loaded once for all test
// files of a worker, not once for each. A test file brings its own modules, and the build, by far the most, comes from here.
import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

// Jest makes an AsyncLocalStorage for each test file and leaves it enabled. Until Node 24, every promise of all later files is
// marked for each of them, which took a fifth of a worker's time.
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

// Without this, a worker whose test hangs outlives a run that was killed.
process.once('disconnect', () => process.exit(1));

/** Time of a test file, after which the rest of its tests fail at once. Each test has `testTimeout`, so many that hang take hours without it. */
const SUITE_SECONDS = Number(process.env.TEST_SUITE_SECONDS ?? 1_200);
/** Time that hooks have to clean up once the test file has none left. */
const CLEAN_UP_MS = 1_000;

export default class extends TestEnvironment {
  #endsAt;
  #longestMs;

  async setup() {
    await super.setup();
    this.#endsAt = performance.now() + SUITE_SECONDS * 1_000;
    this.global.importNatively = (url) => import(url);
  }

  /** Ends each test and hook with the test file's time. */
  handleTestEvent({ name, test }, state) {
    if (name !== 'hook_start' && name !== 'test_start') return;
    const leftMs = this.#endsAt - performance.now();
    this.#longestMs ??= state.testTimeout;
    state.testTimeout = Math.max(CLEAN_UP_MS, Math.min(this.#longestMs, leftMs));
    if (name === 'test_start' && leftMs <= 0) test.errors.push(new Error(`not run: the file took more than ${SUITE_SECONDS} s`));
  }

  async teardown() {
    await super.teardown();
    // One of the build, which all files share, enables itself when it runs next.
    for (const storage of used) storage.disable();
    used.clear();
  }
}
