// Node's own import for tests, which run in a context of their own: what is imported this way is loaded once for all test
// files of a worker, not once for each. A test file brings its own modules, and the build, by far the most, comes from here.
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importNatively = (url) => import(url);
  }
}
