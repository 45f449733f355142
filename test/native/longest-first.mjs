import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(createRequire(import.meta.url).resolve('jest/package.json'))('@jest/test-sequencer');

/** What takes longest, first: a long test that begins last is waited for by itself. Jest knows durations only where it ran before. */
const LONGEST = [
  'isolation', 'rendered-files-gotenberg', 'person-erasure', 'log-browser', 'silence', 'database-failover', 'template-attacks-browser', 'readme', 'templates-browser', 'bad-input', 'install', 'backup',
  'shell-browser', 'email-browser', 'workers', 'traces-nodes', 'console', 'start', 'push-browser', 'nodes', 'tenants-browser', 'retention',
  'files-browser', 'crash', 'tenant-deletion', 'email-content', 'log-crash', 'storage', 'minio-blob-store', 'inert-files-browser', 'bounds', 'render-pool', 'rotation',
  'doctor', 'migrations', 'email-crash', 'client-files', 'page-bytes', 'full-disk', 'sockets', 'keys', 'redis-cluster', 'testing-package', 'pooler', 'heavy-work',
  'tls-parts', 'transfers', 'email-cancel', 'template-pages', 'push-states',
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
