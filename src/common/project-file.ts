import { existsSync } from 'node:fs';

const root = rootAbove(new URL('./', import.meta.url));

/** A file or folder of the project by its path from the root: modules run from where they were built, or from a bundle. */
export function projectFile(path: string): URL {
  return new URL(path, root);
}

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error('package.json must lie in a folder above the built modules');
  return rootAbove(parent);
}
