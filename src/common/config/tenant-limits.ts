/** Limits of a tenant; Infinity means no limit. */
export interface TenantLimits {
  storedBytes: number;
  files: number;
  waitingMessages: number;
  templates: number;
  stylesheets: number;
  mailsPerDay: number;
  waitingEvents: number;
}
