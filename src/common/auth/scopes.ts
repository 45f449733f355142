import { badInput } from '../errors/app-error.js';

/** The five services: the folder, the URL path and the scope prefix are one name. */
export const SERVICES = ['file-management', 'document-rendering', 'websockets-manager', 'document-log', 'email'] as const;

export type Service = (typeof SERVICES)[number];
export type OperationKind = 'query' | 'mutation';

/** What a new deployment's first key may do: everything. */
export const ALL_SCOPES = SERVICES.flatMap((service) => [`${service}-api:query:*`, `${service}-api:mutation:*`]).join(' ');

/** The operations of every service, as the served schemas have them; filled once, when the schemas are built. */
export type Operations = Record<OperationKind, ReadonlySet<string>>;

const ENTRY = new RegExp(`^(${SERVICES.join('|')})-api:(query|mutation):(\\*|[A-Za-z][A-Za-z0-9]*)$`);

/**
 * Brings a scope into the form that is stored: its entries in the order given, each once, one space between.
 * @throws BAD_USER_INPUT when an entry is unknown. Whether a named operation exists is asked of `operations`.
 */
export function normaliseScope(scope: string, operations: Record<Service, Operations>): string {
  const entries = [...new Set(scope.split(/\s+/).filter(Boolean))];
  if (entries.length === 0) {
    throw badInput('scope', 'must have at least one entry, such as file-management-api:query:*');
  }
  for (const entry of entries) {
    const [, service, kind, operation] = ENTRY.exec(entry) ?? [];
    const known =
      service && kind && operation && (operation === '*' || operations[service as Service][kind as OperationKind].has(operation));
    if (!known) {
      throw badInput(
        'scope',
        `unknown entry ${JSON.stringify(entry)}; an entry is <service>-api:<query or mutation>:<* or an operation>, ` +
          `with a service of ${SERVICES.join(', ')}`,
      );
    }
  }
  return entries.join(' ');
}

/** Whether the scope has any entry of the service, and so may see its schema. */
export function touchesService(scope: ReadonlySet<string>, service: Service): boolean {
  for (const entry of scope) if (entry.startsWith(`${service}-api:`)) return true;
  return false;
}

/** The entry that is missing for an operation, or nothing. `version` is allowed by any query entry of the service. */
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
