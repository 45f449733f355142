import type { TenantModel } from '../../generated/sqlite/models.js';
import type { RetentionPeriods } from '../config/retention-periods.js';
import type { TenantLimits } from '../config/tenant-limits.js';

/** Columns with a tenant's own limits. */
export const LIMIT_COLUMNS = {
  storedBytes: 'maxStoredBytes',
  files: 'maxFiles',
  waitingMessages: 'maxWaitingMessages',
  templates: 'maxTemplates',
  stylesheets: 'maxStylesheets',
  mailsPerDay: 'maxMailsPerDay',
  waitingEvents: 'maxWaitingEvents',
} as const satisfies Record<keyof TenantLimits, keyof TenantModel>;

type LimitColumns = Pick<TenantModel, (typeof LIMIT_COLUMNS)[keyof TenantLimits]>;

/** Returns the limits of a tenant: its own, or else the defaults. */
export function limitsOf(own: LimitColumns | null, defaults: TenantLimits): TenantLimits {
  const limits = { ...defaults };
  for (const [name, column] of Object.entries(LIMIT_COLUMNS) as [keyof TenantLimits, keyof LimitColumns][]) {
    const value = own?.[column] ?? null;
    if (value !== null) limits[name] = Number(value) || Infinity;
  }
  return limits;
}

/** Columns with a tenant's own retention periods. */
export const RETENTION_COLUMNS = {
  files: 'fileRetentionDays',
  messages: 'messageRetentionDays',
  mails: 'mailRetentionDays',
  logs: 'logRetentionDays',
  events: 'eventRetentionDays',
} as const satisfies Record<keyof RetentionPeriods, keyof TenantModel>;

type RetentionColumns = Pick<TenantModel, (typeof RETENTION_COLUMNS)[keyof RetentionPeriods]>;

/** Returns the retention periods of a tenant: its own, or else the defaults. */
export function retentionOf(own: RetentionColumns, defaults: RetentionPeriods): RetentionPeriods {
  const periods = { ...defaults };
  for (const [kind, column] of Object.entries(RETENTION_COLUMNS) as [keyof RetentionPeriods, keyof RetentionColumns][]) {
    periods[kind] = own[column] ?? defaults[kind];
  }
  return periods;
}
