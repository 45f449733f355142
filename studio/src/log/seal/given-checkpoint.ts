import { type Checkpoint, readCheckpoint } from '../seals/checkpoint';

/** Parses a checkpoint from a person or the server; `fault` says why it is invalid. */
export function readGiven(text: string): { checkpoint?: Checkpoint; fault?: string } {
  if (text.trim() === '') return {};
  try {
    return { checkpoint: readCheckpoint(text) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
