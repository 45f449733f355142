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

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importNatively = (url) => import(url);
  }

  async teardown() {
    await super.teardown();
    // One of the build, which all files share, enables itself when it runs next.
    for (const storage of used) storage.disable();
    used.clear();
  }
}
