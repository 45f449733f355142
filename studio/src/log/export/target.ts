import { saveFile } from '../../ui/save-file';
import type { Format } from './lines';

/** Target of an export. */
export interface Target {
  /** Maximum number of records. */
  most: number;
  write: (text: string) => Promise<void>;
  /** Saves the written records. */
  finish: () => Promise<void>;
}

interface Picker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{ createWritable: () => Promise<FileWriter> }>;
}
interface FileWriter {
  write: (text: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Maximum number of records in a browser that cannot stream to the disk. */
export const MOST_IN_MEMORY = 100_000;

const TYPES: Readonly<Record<Format, string>> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

export const canStream = (): boolean => 'showSaveFilePicker' in globalThis;

/** Asks for the target; undefined if cancelled. */
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
