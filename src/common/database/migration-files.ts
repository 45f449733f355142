import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../config/config.js';
import { packageVersion, projectFile } from '../base/project-file.js';

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Row of the migration table, which Prisma uses too. */
export interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished_at: unknown;
}

export interface Comparison {
  /** True if no release has migrated the database yet. */
  isNew: boolean;
  applied: string[];
  /** Migrations of this build to be applied, in order. */
  waiting: Migration[];
  /** Applied migrations that this build does not know. */
  unknown: string[];
}

/** Name of a migration that removes something that older releases use. Contains the first release that works without it. */
const CONTRACT = /^\d{14}_contract_(\d+)_(\d+)_(\d+)_/;
/** Error for a history that does not begin with the baseline. */
const BEFORE_THE_FIRST_RELEASE =
  'DATABASE_URL names a database created before 0.3.0, the first release, and cannot be migrated: export its logs ' +
  '(GET /document-log/export?format=bundle) and back it up with the build that created it, then start with a new database ' +
  '(docs/upgrade.md#before-030)';

/**
 * Compares the history of a database with the migrations of this build.
 * @throws Error if a migration was changed after it was applied, or started by another tool and not finished; ConfigError for a
 * database created before the first release
 */
export function compare(provider: 'sqlite' | 'postgresql', rows: HistoryRow[]): Comparison {
  const history = new Map(rows.map((row) => [row.migration_name, row]));
  const known = migrations(provider);
  if (history.size > 0 && !history.has(known[0]!.name)) throw new ConfigError(BEFORE_THE_FIRST_RELEASE);
  const waiting = known.filter(({ name, checksum }) => {
    const row = history.get(name);
    if (row && row.finished_at === null) {
      throw new Error(`Migration ${name} was started by another tool and did not finish; resolve it with prisma migrate resolve`);
    }
    if (row && row.checksum !== checksum) throw new Error(`Migration ${name} was changed after it was applied`);
    return !row;
  });
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...history.keys()].filter((name) => !names.has(name)).sort();
  const applied = known.filter(({ name }) => history.has(name)).map(({ name }) => name);
  return { isNew: rows.length === 0, applied, waiting, unknown };
}

/** Refuses a database of a later release. @throws ConfigError if a migration removed something that this release needs */
export function refuseLaterDatabase(unknown: string[], release = packageVersion()): void {
  for (const name of unknown) {
    const needed = CONTRACT.exec(name)?.slice(1).map(Number);
    if (!needed || !isEarlier(release, needed)) continue;
    const first = needed.join('.');
    throw new ConfigError(
      `DATABASE_URL names a database for release ${first} and later, and this is ${release}: migration ${name} removed what ` +
        `this release uses; start ${first} or later, or restore a backup from before`,
    );
  }
}

function isEarlier(release: string, other: number[]): boolean {
  const parts = release.split(/[.-]/).map(Number);
  const index = other.findIndex((part, at) => part !== parts[at]);
  return index !== -1 && parts[index]! < other[index]!;
}

function migrations(provider: string): Migration[] {
  const folder = fileURLToPath(projectFile(`prisma/${provider}/migrations/`));
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
