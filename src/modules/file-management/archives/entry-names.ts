/** Characters that Windows forbids in file names, and control characters. */
const UNWANTED = /[\p{Cc}\\:*?"<>|]/gu;
/** Path segments that are empty, `.` or `..`. */
const DOTS = /^\.{0,2}$/;

/**
 * Returns an archive path for each file: relative, without `..`, and unique in any letter case. Slashes create folders. Drops the
 * prefix `folder`. Calls `turn` before each attempt, so the caller can pause the work.
 */
export async function entryNames(
  files: readonly { id: string; name: string | null }[],
  folder: string,
  turn: () => Promise<void>,
): Promise<string[]> {
  const paths: string[] = [];
  const keys: string[] = [];
  for (const { id, name } of files) {
    await turn();
    const path = safePath(withoutFolder(name ?? '', folder)) || id;
    paths.push(path);
    keys.push(path.toLowerCase());
  }
  const taken = new Set<string>();
  const isFolder = foldersOf(keys);
  /** Next suffix to try, by lower-case path. Saves files with equal names from trying every number. */
  const numbers = new Map<string, number>();
  const names: string[] = [];
  for (const [index, path] of paths.entries()) {
    let free = path;
    let key = keys[index]!;
    for (let number = numbers.get(key) ?? 2; taken.has(key) || isFolder(key); number++) {
      await turn();
      free = numbered(path, number);
      key = free.toLowerCase();
      numbers.set(keys[index]!, number + 1);
    }
    taken.add(key);
    names.push(free);
  }
  return names;
}

const withoutFolder = (name: string, folder: string): string => (name.startsWith(folder) ? name.slice(folder.length) : name);

/**
 * Returns a function that tests whether a path is a folder of these lower-case keys. Searches the sorted keys: a set of all folders
 * could have half a million entries.
 */
function foldersOf(keys: readonly string[]): (key: string) => boolean {
  const sorted = keys.toSorted();
  return (key) => {
    const beginning = `${key}/`;
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (sorted[middle]! < beginning) from = middle + 1;
      else to = middle;
    }
    return sorted[from]?.startsWith(beginning) ?? false;
  };
}

function safePath(name: string): string {
  const segments = name.replaceAll(UNWANTED, '_').split('/').filter(Boolean);
  return segments.map((segment) => (DOTS.test(segment) ? '_' : segment)).join('/');
}

/** Adds a number before the extension: a.txt, a (2).txt, … */
function numbered(path: string, number: number): string {
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  return `${path.slice(0, path.length - ending.length)} (${number})${ending}`;
}
