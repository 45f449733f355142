import type { ServiceName } from '../../../clients/js/src/generated/services';

export type { ServiceName };
type Kind = 'query' | 'mutation';

/** An operation, such as `['email', 'mutation', 'sendMessage']`. */
export type Right = readonly [service: ServiceName, kind: Kind, operation: string];

/** Returns the scope entry that the key is missing for an operation, if any. The server decides; this only hides what it would refuse. */
export function missingEntry(scope: readonly string[], [service, kind, operation]: Right): string | undefined {
  const entry = `${service}-api:${kind}:${operation}`;
  return scope.includes(entry) || scope.includes(`${service}-api:${kind}:*`) ? undefined : entry;
}

export const touches = (scope: readonly string[], service: ServiceName): boolean =>
  scope.some((entry) => entry.startsWith(`${service}-api:`));
