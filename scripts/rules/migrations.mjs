// Migrations: nodes of two releases share a database, so a migration only adds. A later migration removes what the old release used,
// and names the first release that no longer needs it: 20270101000000_contract_0_4_0_drop_x.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Migration that creates the schema of the first release. */
const BASELINE = '20261129143000_baseline';
const CONTRACT = /^\d{14}_contract_(\d+_\d+_\d+)_\w/;

/** Statements that break an old node, with their effects. */
const BREAKING = [
  [/\bDROP\s+(TABLE|COLUMN|VIEW|TYPE|TRIGGER|FUNCTION)\b/i, 'drops what an older release may use'],
  [/\bRENAME\b/i, 'renames what an older release uses'],
  [/\bADD\s+(COLUMN\s+)?"[^"]+"(?=[^,;]*\bNOT\s+NULL\b)(?![^,;]*\b(DEFAULT|GENERATED)\b)/i, 'adds a column that older releases do not fill: give it a default'],
  [/\bSET\s+NOT\s+NULL\b/i, 'refuses rows that an older release writes'],
  [/\bALTER\s+(COLUMN\s+)?"[^"]+"\s+(SET\s+DATA\s+)?TYPE\b/i, 'changes the type of a column'],
  [/\bALTER\s+TABLE\b[^;]*\bADD\s+(CONSTRAINT\b|UNIQUE\b|CHECK\b|FOREIGN\s+KEY\b)/i, 'refuses rows that an older release writes'],
  [/\bCREATE\s+UNIQUE\s+INDEX\b/i, 'refuses rows that an older release writes'],
]; // prettier-ignore

/** Returns the migrations of both databases, as { provider, name, sql }. */
export function readMigrations(root) {
  return ['sqlite', 'postgresql'].flatMap((provider) => {
    const folder = join(root, 'prisma', provider, 'migrations');
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names.map(({ name }) => ({ provider, name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
  });
}

/** Compares with `release`, the version of package.json: a contract must name a published release. */
export function checkMigrations(migrations, release) {
  return migrations
    .filter(({ name }) => name > BASELINE)
    .flatMap(({ provider, name, sql }) => {
      const report = (text) => `prisma/${provider}/migrations/${name} ${text}`;
      const named = CONTRACT.exec(name)?.[1].replaceAll('_', '.');
      if (named) return isLater(named, release) ? [report(`names release ${named}, which is later than ${release}`)] : [];
      if (/_contract/.test(name)) return [report('must name a release as in 20270101000000_contract_0_4_0_drop_x')];
      return statements(sql).flatMap((statement) => faults(statement, sql).map((fault) => report(fault)));
    });
}

/** Rejects future timestamps: migrations are applied in the order of their names, and later ones would sort before it. */
export function checkStamps(migrations, now = new Date()) {
  const present = now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return migrations
    .filter(({ name }) => name.slice(0, 14) > present)
    .map(({ provider, name }) => `prisma/${provider}/migrations/${name} is stamped with a time to come: use ${present} (UTC)`);
}

function faults(statement, sql) {
  const found = BREAKING.filter(([pattern]) => pattern.test(statement) && !isAboutNew(statement, sql));
  return found.map(([, fault]) => `${fault}: ${statement.replaceAll(/\s+/g, ' ').slice(0, 80)}`);
}

/** Allows changes to a table created in the same migration, which older releases do not use. */
function isAboutNew(statement, sql) {
  const [, table] = /\b(?:ON|ALTER\s+TABLE(?:\s+ONLY)?)\s+"([^"]+)"/i.exec(statement) ?? [];
  return table !== undefined && new RegExp(`\\bCREATE\\s+TABLE\\s+(IF NOT EXISTS\\s+)?"${table}"`, 'i').test(sql);
}

const statements = (sql) => sql.replaceAll(/--.*$/gm, '').split(';').map((text) => text.trim()).filter(Boolean); // prettier-ignore

const isLater = (a, b) => a.localeCompare(b, 'en', { numeric: true }) > 0;
