import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(createRequire(import.meta.url).resolve('jest/package.json'))('@jest/test-sequencer');

/** What takes longest, first: a long test that begins last is waited for by itself. Jest knows durations only where it ran before. */
const LONGEST = [
  'readme', 'install', 'silence', 'backup', 'crash', 'workers', 'nodes', 'retention', 'log-storage', 'start', 'traces-nodes',
  'tenant-deletion', 'bounds', 'render-pool', 'redis-cluster', 'rotation', 'page-bytes', 'keys', 'full-disk', 'doctor',
]; // prettier-ignore

const rank = ({ path }) => {
  const place = LONGEST.findIndex((name) => new RegExp(`/${name}\\.(e2e-)?spec\\.ts$`).test(path));
  return place === -1 ? LONGEST.length : place;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}
