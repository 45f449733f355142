import { existsSync, readFileSync } from 'node:fs';

const root = rootAbove(new URL('./', import.meta.url));

/** Finds a file or folder by its path from the project root, since modules run from their build folder or from a bundle. */
export function projectFile(path: string): URL {
  return new URL(path, root);
}

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error('package.json must lie in a folder above the built modules');
  return rootAbove(parent);
}

/** Returns the release of this build, from package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string }).version;
}
