import { storableTime } from '../validation/time.js';

/** A time that a JSON document has in milliseconds, as the databases keep it. */
export function timeOfMs(ms: string, isPostgres: boolean): string {
  return isPostgres ? `(to_timestamp((${ms})::float8 / 1000) AT TIME ZONE 'UTC')::timestamp(3)` : ms;
}

/** Collects the values of a statement in the order in which they stand in it, and writes what the databases spell differently. */
export class SqlValues {
  readonly values: unknown[] = [];

  constructor(protected readonly isPostgres: boolean) {}

  value(value: unknown): string {
    this.values.push(value);
    return this.isPostgres ? `$${this.values.length}` : '?';
  }

  /** Times outside of what can be stored mean the first or last that can. */
  time(given: Date): string {
    const time = storableTime(given);
    return this.isPostgres ? `${this.value(time.toISOString().slice(0, -1))}::timestamp(3)` : this.value(time.getTime());
  }
}
