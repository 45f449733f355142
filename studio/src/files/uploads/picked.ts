/** A file with the path that it had below what was chosen or dropped. */
export interface Picked {
  file: File;
  path: string;
}

/** The files of an input; those of a chosen folder keep their paths. */
export const pickedOf = (files: FileList | null): Picked[] =>
  sorted([...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name })));

const ORDER = new Intl.Collator('en', { numeric: true });
/** As a person would list them; browsers give them out as the disk has them. */
const sorted = (picked: Picked[]): Picked[] => picked.sort((one, other) => ORDER.compare(one.path, other.path));

/** All files that were dropped, with those in dropped folders. Must be called while the event is handled, since its list ends with it. */
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
    // Browsers give out a folder in pieces, and an empty one at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await collect(one, found);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
