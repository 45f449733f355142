/** A file with its path below the chosen or dropped folder. */
export interface Picked {
  file: File;
  path: string;
}

/** Returns the files of an input, with their paths in a chosen folder. */
export const pickedOf = (files: FileList | null): Picked[] =>
  sorted([...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name })));

const ORDER = new Intl.Collator('en', { numeric: true });
/** Sorts naturally; browsers return files in disk order. */
const sorted = (picked: Picked[]): Picked[] => picked.sort((one, other) => ORDER.compare(one.path, other.path));

/** Returns all dropped files, including those in folders. Must be called during the event, since its list ends with it. */
export async function pickedOfDrop({ items, files }: DataTransfer): Promise<Picked[]> {
  const entries = [...items]
    .map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null))
    .filter((entry) => entry !== null);
  if (entries.length === 0) return pickedOf(files);
  const found: Picked[] = [];
  for (const entry of entries) await collect(entry, found);
  return sorted(found);
}

async function collect(entry: FileSystemEntry, found: Picked[]): Promise<void> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, path: entry.fullPath.replace(/^\//, '') });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  while (true) {
    // Browsers return a folder in chunks, with an empty one at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await collect(one, found);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
