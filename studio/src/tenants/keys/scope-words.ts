/** Names of the tenant services. */
export const SERVICES = [
  ['file-management', 'Files'],
  ['document-rendering', 'Templates'],
  ['websockets-manager', 'Push'],
  ['document-log', 'Log'],
  ['email', 'Email'],
] as const;

const WORDS: Readonly<Record<string, string>> = { ...Object.fromEntries(SERVICES), admin: 'Administration' };

/** Describes a scope, such as `Files: read, write. Log: read.` */
export function describeScope(scope: readonly (string | null)[]): string {
  const services = new Map<string, Set<string>>();
  for (const entry of scope) {
    const [, service = '', kind = '', operation = ''] = /^(.+)-api:(query|mutation):(.+)$/.exec(entry ?? '') ?? [];
    const word = operation === '*' ? { query: 'read', mutation: 'write' }[kind] : operation;
    if (word) services.set(service, (services.get(service) ?? new Set()).add(word));
  }
  return [...services].map(([service, words]) => `${WORDS[service] ?? service}: ${[...words].join(', ')}.`).join(' ');
}
