import { type Checkpoint, readCheckpoint } from '../seals/checkpoint';

/** Reads a checkpoint that a person gave or the server sent; `fault` says in words why it is none. */
export function readGiven(text: string): { checkpoint?: Checkpoint; fault?: string } {
  if (text.trim() === '') return {};
  try {
    return { checkpoint: readCheckpoint(text) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
