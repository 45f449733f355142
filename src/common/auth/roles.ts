import { readRole, type Role } from '../config/settings/oidc-settings.js';
import { ADMIN_TENANT } from '../tenants/tenant-names.js';
import { SERVICES, wholeServices } from './scopes.js';

const READER: ReadonlySet<string> = new Set(wholeServices(SERVICES, ['query']));
const EDITOR: ReadonlySet<string> = new Set(wholeServices(SERVICES));
/** Scope in the tenant of the admin keys, the same as an admin key can have. */
const OPERATOR: ReadonlySet<string> = new Set([...wholeServices(['admin']), ...wholeServices(['document-log'], ['query'])]);

/** Role that includes all others. */
const OF_OPERATORS = 'operator:*';

const rolesOf = (roles: readonly string[]): Role[] => roles.map(readRole).filter((role) => role !== undefined);

/** Returns the scope that roles give in a tenant; undefined if they give none. Administration is in its own tenant only. */
export function scopeIn(roles: readonly string[], tenantName: string): ReadonlySet<string> | undefined {
  if (tenantName === ADMIN_TENANT) return administers(roles) ? OPERATOR : undefined;
  const names = rolesOf(roles).flatMap(({ name, tenant }) => (tenant === '*' || tenant === tenantName ? [name] : []));
  if (names.length === 0) return undefined;
  return names.every((name) => name === 'reader') ? READER : EDITOR;
}

export const administers = (roles: readonly string[]): boolean => roles.includes(OF_OPERATORS);

/** Returns the names of the tenants of roles; undefined for all tenants. */
export function tenantsOf(roles: readonly string[]): string[] | undefined {
  const names = rolesOf(roles).map(({ tenant }) => tenant);
  return names.includes('*') ? undefined : [...new Set(names)];
}
