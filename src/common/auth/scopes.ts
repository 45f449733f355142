import { badInput } from '../base/app-error.js';
import { ADMIN_TENANT } from '../tenants/tenant-names.js';

/** Services that tenants use. One name serves as folder, URL path and scope prefix. */
export const SERVICES = ['file-management', 'document-rendering', 'websockets-manager', 'document-log', 'email'] as const;

/** All endpoints: the services, and the administration of their tenants. */
export const ENDPOINTS = [...SERVICES, 'admin'] as const;

export type Service = (typeof ENDPOINTS)[number];
export type OperationKind = 'query' | 'mutation';

/** Returns the entries for all operations of the given services and kinds. */
export const wholeServices = (services: readonly Service[], kinds: readonly OperationKind[] = ['query', 'mutation']): string[] =>
  services.flatMap((service) => kinds.map((kind) => `${service}-api:${kind}:*`));

/** Scope of a new deployment's first key: everything a tenant can use. */
export const ALL_SCOPES = wholeServices(SERVICES).join(' ');

/** Operations of a service by kind, from its served schema. */
export type Operations = Record<OperationKind, ReadonlySet<string>>;

const ENTRY = new RegExp(`^(${ENDPOINTS.join('|')})-api:(query|mutation):(\\*|[A-Za-z][A-Za-z0-9]*)$`);

/**
 * Normalizes a scope to its stored form: each entry once, in the given order, separated by one space.
 * @throws BAD_USER_INPUT for an unknown entry; a named operation must be in `operations`
 */
export function normaliseScope(scope: string, operations: Record<Service, Operations>, field = 'scope'): string {
  const entries = [...new Set(scope.split(/\s+/).filter(Boolean))];
  if (entries.length === 0) {
    throw badInput(field, 'must have at least one entry, such as file-management-api:query:*');
  }
  for (const entry of entries) {
    const [, service, kind, operation] = ENTRY.exec(entry) ?? [];
    const known =
      service && kind && operation && (operation === '*' || operations[service as Service][kind as OperationKind].has(operation));
    if (!known) {
      throw badInput(
        field,
        `unknown entry ${JSON.stringify(entry)}; an entry is <service>-api:<query or mutation>:<* or an operation>, ` +
          `with a service of ${ENDPOINTS.join(', ')}`,
      );
    }
  }
  return entries.join(' ');
}

/**
 * Separates admin keys from all others: their tenant has no data except its log, and admin keys can only read it.
 * @throws BAD_USER_INPUT for an entry that keys of the tenant cannot have
 */
export function checkScopeOf(tenant: string, scope: string, field: string): void {
  const isOfAdmins = tenant === ADMIN_TENANT;
  const isAllowed = isOfAdmins ? /^(admin-api:|document-log-api:query:)/ : /^(?!admin-api:)/;
  const wrong = scope.split(' ').find((entry) => !isAllowed.test(entry));
  if (wrong === undefined) return;
  const rule = isOfAdmins
    ? `a key of ${ADMIN_TENANT} has entries of admin-api and queries of document-log-api only`
    : `entries of admin-api are for keys of the tenant ${ADMIN_TENANT}, which are created on the command line`;
  throw badInput(field, `cannot have ${wrong}: ${rule}`);
}

/** Returns whether a stored scope allows an operation that another one does not. */
export function isWider(scope: string, other: string): boolean {
  const allowed = new Set(other.split(' '));
  return scope.split(' ').some((entry) => !allowed.has(entry) && !allowed.has(entry.replace(/[^:]+$/, '*')));
}

/** Returns whether the scope has any entry of the service. Such a key may see its schema. */
export function touchesService(scope: ReadonlySet<string>, service: Service): boolean {
  for (const entry of scope) if (entry.startsWith(`${service}-api:`)) return true;
  return false;
}

/** Returns the entry that is missing for an operation, if any. Any query entry of the service allows `version`. */
export function missingEntry(
  scope: ReadonlySet<string>,
  service: Service,
  kind: OperationKind,
  operation: string,
): string | undefined {
  const prefix = `${service}-api:${kind}:`;
  if (scope.has(`${prefix}*`) || scope.has(prefix + operation)) return undefined;
  if (kind === 'query' && operation === 'version') {
    for (const entry of scope) if (entry.startsWith(prefix)) return undefined;
  }
  return prefix + operation;
}
