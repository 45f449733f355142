import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for what a server keeps, in memory where test/native/memory-folder.mjs found room. */
export function dataFolder(): string {
  return mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'platform-services-test-'));
}
