// Versions: all packages released together have the version of package.json, and a changelog section.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that name the release, and their patterns. */
const NAMED = {
  'package-lock.json': [/^ {2}"version": "(.+)"/m, /^ {6}"name": "platform-services",\n {6}"version": "(.+)"/m],
  'clients/js/package.json': [/"version": "(.+)"/],
  'clients/nestjs/package.json': [
    /"version": "(.+)"/,
    /"@platform-services\/client": "\^(.+)"/,
    /"@platform-services\/testing": "\^(.+)"/,
  ],
  'clients/react/package.json': [/"version": "(.+)"/, /"@platform-services\/client": "\^(.+)"/],
  'clients/python/pyproject.toml': [/^version = "(.+)"/m],
  'clients/testing/package.json': [/"version": "(.+)"/],
  'deploy/helm/platform-services/Chart.yaml': [/^version: (.+)$/m, /^appVersion: (.+)$/m],
  'examples/browser/package.json': [/"@platform-services\/client": "\^(.+)"/],
  'examples/shop/package.json': [/"@platform-services\/client": "\^(.+)"/, /"@platform-services\/testing": "\^(.+)"/],
  'examples/webhooks/package.json': [/"@platform-services\/client": "\^(.+)"/],
  'examples/go/go.mod': [/clients\/go v(.+)$/m],
  'examples/webhooks/go.mod': [/clients\/go v(.+)$/m],
  'README.md': [/platform-services-(\d+\.\d+\.\d+)\.tgz/],
  'CHANGELOG.md': [/^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/m],
};

export function checkVersions(root, release) {
  return findVersions((file) => readFileSync(join(root, file), 'utf8'), release);
}

/**
 * Finds files with another number. `read` returns the text of a file; the first numbered section of the changelog is that of the release.
 */
export function findVersions(read, release) {
  return Object.entries(NAMED).flatMap(([file, patterns]) => {
    const text = read(file);
    const found = patterns.map((pattern) => pattern.exec(text)?.[1]);
    return found
      .filter((one) => one !== release)
      .map((one) => `${file} names ${one ?? 'no release'}, and package.json ${release}`);
  });
}
