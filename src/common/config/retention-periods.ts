/** Retention of each kind of data in days; Infinity means forever. */
export interface RetentionPeriods {
  files: number;
  messages: number;
  mails: number;
  logs: number;
  events: number;
}

/** Maximum retention period. */
export const MAX_RETENTION_DAYS = 36_500;
