// Pins: builds and deployments reference actions by commit hash and images by digest, since tags can move.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const WORKFLOWS = join('.github', 'workflows');
const ACTION = /^\s*-?\s*uses:\s*(?!\.\/)(\S+)/gm;
const PINNED_ACTION = /@[0-9a-f]{40}$/;
/** Default images in Dockerfile and docker-compose.yml. */
const IMAGE = /^(?:ARG \w*IMAGE=|FROM |\s*image: \$\{\w+:-)([\w./-]+:[^\s}]+)/gm;
const PINNED_IMAGE = /@sha256:[0-9a-f]{64}$/;

export function checkPins(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const workflows = readdirSync(join(root, WORKFLOWS)).map((name) => join(WORKFLOWS, name));
  return [
    ...workflows.flatMap((path) => findActions(path, read(path))),
    ...['Dockerfile', 'docker-compose.yml'].flatMap((path) => findImages(path, read(path))),
  ];
}

export const findActions = (path, text) =>
  unpinned(text, ACTION, PINNED_ACTION).map((name) => `${path} must name ${name} by the hash of a commit`);

export const findImages = (path, text) =>
  unpinned(text, IMAGE, PINNED_IMAGE).map((name) => `${path} must name ${name} with its digest, @sha256:…`);

const unpinned = (text, named, pinned) => [...text.matchAll(named)].map(([, name]) => name).filter((name) => !pinned.test(name));
