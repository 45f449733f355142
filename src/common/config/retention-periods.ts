/** Days that a tenant keeps things of each kind; Infinity means forever. */
export interface RetentionPeriods {
  files: number;
  messages: number;
  mails: number;
  logs: number;
  events: number;
}

/** The longest period that can be set. */
export const MAX_RETENTION_DAYS = 36_500;
