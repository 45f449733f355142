import { saveFile } from '../../ui/save-file';
import type { Format } from './lines';

/** Where an export is written to. */
export interface Target {
  /** How many records it takes. */
  most: number;
  write: (text: string) => Promise<void>;
  /** Keeps what was written. */
  finish: () => Promise<void>;
}

interface Picker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{ createWritable: () => Promise<FileWriter> }>;
}
interface FileWriter {
  write: (text: string) => Promise<void>;
  close: () => Promise<void>;
}

/** How many records fit into a file of a browser that cannot write to the disk as they come. */
export const MOST_IN_MEMORY = 100_000;

const TYPES: Readonly<Record<Format, string>> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

export const canStream = (): boolean => 'showSaveFilePicker' in globalThis;

/** Asks where to write to; undefined if the person changes their mind. */
export async function openTarget(format: Format): Promise<Target | undefined> {
  const name = `document-log.${format}`;
  const pick = (globalThis as Picker).showSaveFilePicker;
  if (!pick) return inMemory(name, TYPES[format]);
  try {
    const writer = await (await pick({ suggestedName: name })).createWritable();
    return { most: Infinity, write: (text) => writer.write(text), finish: () => writer.close() };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  }
}

function inMemory(name: string, type: string): Target {
  const texts: string[] = [];
  return {
    most: MOST_IN_MEMORY,
    write: async (text) => void texts.push(text),
    finish: async () => saveFile(name, texts, type),
  };
}
