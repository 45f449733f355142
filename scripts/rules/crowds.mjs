// Crowds: folders with more files than a reader can survey.
import { dirname } from 'node:path';

export const MAX_FILES = 25;

/** Returns folders with more than MAX_FILES files, excluding subfolders. */
export function crowdedFolders(sources) {
  const counts = new Map();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder} has ${count} files; at most ${MAX_FILES}, so give those that belong together a folder`);
}
