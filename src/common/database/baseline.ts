import { ConfigError } from '../config/config.js';

/** The migration that makes the whole schema of release 0.2.0. */
export const BASELINE = '20261124000000_baseline_0_2_0';

/**
 * The migrations by which release 0.2.0 made that schema. Their names stay in a database that is taken over: without them a node of
 * 0.2.0 would try to make every table again.
 */
export const REPLACED = [
  '20261121000000_foundation', '20261121010000_file_management', '20261121020000_document_rendering',
  '20261121030000_bounded_keys', '20261121040000_document_log', '20261121050000_websockets', '20261121060000_email',
  '20261121070000_keyed_logs', '20261121080000_tenant_limits', '20261121081000_multipart_parts', '20261121082000_mail_turns',
  '20261122020000_validation_totals', '20261122030000_cancelled_global_messages', '20261122040000_bound_keys',
  '20261122040000_cache_control', '20261122041000_mail_recipients', '20261122060000_tenant_states',
  '20261122061000_log_key_changes', '20261122084000_erasable_log_records', '20261122090000_mail_traces',
  '20261123010000_retention', '20261123020000_log_retention', '20261123030000_person_erasures', '20261123040000_file_folders',
  '20261123041000_storage_samples', '20261123050000_mail_contents',
]; // prettier-ignore

export const isReplaced = (name: string): boolean => REPLACED.includes(name);

/** Returns whether release 0.2.0 made the schema. @throws ConfigError when an older one did, and 0.2.0 has not migrated it */
export function isOfRelease020(applied: string[]): boolean {
  const count = applied.filter(isReplaced).length;
  if (count > 0 && count < REPLACED.length) {
    throw new ConfigError(
      'DATABASE_URL names a database of a release before 0.2.0: start 0.2.0 once with this database, then this release',
    );
  }
  return count > 0;
}

/**
 * Runs on a database of release 0.2.0 in place of the baseline. Finds a row if nodes of 0.2.0 write records without salt, as 0.1.0
 * did, or if such a record or edit is there: they are the oldest ones.
 */
export const UNSALTED = `SELECT 1 WHERE EXISTS (SELECT 1 FROM "LogFormat" WHERE "leafVersion" < 2)
  OR (SELECT "personalHash" IS NULL FROM "Log" ORDER BY "seq" LIMIT 1)
  OR (SELECT "personalHash" IS NULL FROM "LogEdit" WHERE "field" <> 'erased' ORDER BY "seq" LIMIT 1)
`;

/** @throws ConfigError when `UNSALTED` found a row: this release would take these records for changed ones */
export function refuseUnsalted(rows: unknown[]): void {
  if (rows.length === 0) return;
  throw new ConfigError(
    'DATABASE_URL names a database whose log has records without salt, as 0.1.0 wrote them: run `platform-services log salt` ' +
      'of 0.2.0, and stay with 0.2.0 until its retention has removed them',
  );
}
