/** Characters that no file of Windows may have in its name, and those that a terminal obeys. */
const UNWANTED = /[\p{Cc}\\:*?"<>|]/gu;
/** Segments that lead out of the folder in which an archive is unpacked. */
const DOTS = /^\.{0,2}$/;

/**
 * Makes a name for each file of an archive: relative, below the folder in which it is unpacked, and once only in any letter case. Slashes of names make
 * folders, whose names no file has; `folder` is left out at the beginning.
 */
export function entryNames(files: readonly { id: string; name: string | null }[], folder = ''): string[] {
  const taken = new Set<string>();
  const paths = files.map(({ id, name }) => safePath(withoutFolder(name ?? '', folder)) || id);
  const isFolder = foldersOf(paths);
  return paths.map((path) => {
    let free = firstFree(path, taken);
    while (isFolder(free)) {
      taken.add(free.toLowerCase());
      free = firstFree(path, taken);
    }
    taken.add(free.toLowerCase());
    return free;
  });
}

const withoutFolder = (name: string, folder: string): string => (name.startsWith(folder) ? name.slice(folder.length) : name);

/** Returns a function that finds out whether a path is a folder of these. It searches among them: all folders could be half a million. */
function foldersOf(paths: readonly string[]): (path: string) => boolean {
  const sorted = paths.map((path) => path.toLowerCase()).sort();
  return (path) => {
    const beginning = `${path.toLowerCase()}/`;
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
function firstFree(path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path.toLowerCase())) return path;
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 2; ; number++) {
    const free = `${stem} (${number})${ending}`;
    if (!taken.has(free.toLowerCase())) return free;
  }
}
