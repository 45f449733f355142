import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFolder } from './folders.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Migration of the fictitious release. */
export const NEXT = '20990101000000_next';

/** Creates the build of a fictitious next release: a copy of this one with one more migration. */
export function nextRelease(sql: string): { folder: string; remove(): void } {
  const folder = dataFolder();
  for (const part of ['package.json', 'prisma', 'dist/bundle']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !path.endsWith('.map') });
  }
  for (const part of ['node_modules', 'schema']) symlinkSync(join(root, part), join(folder, part));
  for (const provider of ['sqlite', 'postgresql']) {
    const migration = join(folder, 'prisma', provider, 'migrations', NEXT);
    mkdirSync(migration);
    writeFileSync(join(migration, 'migration.sql'), sql);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}
