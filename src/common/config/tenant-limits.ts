import { bytes, limit } from './setting-rules.js';

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

/** Settings for the default limits of tenants. */
export const tenantLimitEnvironment = {
  TENANT_MAX_STORED_BYTES: bytes('TENANT_MAX_STORED_BYTES', 0)
    .transform((value) => value || Infinity)
    .default(Infinity)
    .describe('bytes of files of a tenant, such as 10GiB, including parts of unfinished uploads; 0 is no limit (0)')
    .meta({ example: '10GiB' }),
  TENANT_MAX_FILES: limit('TENANT_MAX_FILES').describe('files of a tenant, with and without content; 0 is no limit (0)'),
  TENANT_MAX_WAITING_MESSAGES: limit('TENANT_MAX_WAITING_MESSAGES').describe(
    'pushed messages of a tenant not yet delivered, cancelled or expired; 0 is no limit (0)',
  ),
  TENANT_MAX_TEMPLATES: limit('TENANT_MAX_TEMPLATES').describe('templates of a tenant; 0 is no limit (0)'),
  TENANT_MAX_STYLESHEETS: limit('TENANT_MAX_STYLESHEETS').describe('stylesheets of a tenant; 0 is no limit (0)'),
  TENANT_MAX_MAILS_PER_DAY: limit('TENANT_MAX_MAILS_PER_DAY').describe(
    'mails of a tenant that are accepted from midnight to midnight, UTC; 0 is no limit (0)',
  ),
  TENANT_MAX_WAITING_EVENTS: limit('TENANT_MAX_WAITING_EVENTS').describe(
    'events queued for the active webhooks of a tenant; above it, the webhook with the most is switched off; 0 is no limit (0)',
  ),
};
