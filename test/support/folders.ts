import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a new data folder for a server, in memory if test/native/memory-folder.mjs found room. */
export function dataFolder(): string {
  return mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'platform-services-test-'));
}
