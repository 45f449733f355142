/** Characters that no file of Windows may have in its name, and those that a terminal obeys. */
const UNWANTED = /[\p{Cc}\\:*?"<>|]/gu;
/** Segments that lead out of the folder in which an archive is unpacked. */
const DOTS = /^\.{0,2}$/;

/**
 * Makes a name for each file of an archive: relative, below the folder in which it is unpacked, and once only in any letter case. Slashes of names make
 * folders, whose names no file has; `folder` is left out at the beginning. Awaits `turn` before each name, and before each that it tries.
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
  /** Next number to try for a path in lower case: files of one name would otherwise try all numbers anew. */
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

/** Returns a function that finds out whether a path is a folder of these, all in lower case. It searches among them: all folders could be half a million. */
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

/** Adds a number before the ending: a.txt, a (2).txt, … */
function numbered(path: string, number: number): string {
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  return `${path.slice(0, path.length - ending.length)} (${number})${ending}`;
}
