import { OPERATIONS as ADMIN, SERVICE as ADMIN_SERVICE } from '../../../clients/js/src/generated/admin';
import { OPERATIONS as EMAIL, SERVICE as EMAIL_SERVICE } from '../../../clients/js/src/generated/email';
import { OPERATIONS as FILES, SERVICE as FILES_SERVICE } from '../../../clients/js/src/generated/files';
import { OPERATIONS as LOG, SERVICE as LOG_SERVICE } from '../../../clients/js/src/generated/log';
import { OPERATIONS as PUSH, SERVICE as PUSH_SERVICE } from '../../../clients/js/src/generated/push';
import { OPERATIONS as RENDERING, SERVICE as RENDERING_SERVICE } from '../../../clients/js/src/generated/rendering';
import { type Operation, writeDocument } from '../../../clients/js/src/selection';
import type { Api } from '../api/client';
import { curl } from './sample';

/** A query that returns an object, as the clients name it. */
export interface ObjectRequest {
  service: keyof Api;
  operation: string;
  variables: Variables;
}

type Variables = { readonly [name: string]: unknown };
/** Description of an operation, as the clients have it. */
interface Entry {
  kind: Operation;
  args: { readonly [name: string]: string };
  all?: { readonly [field: string]: unknown };
}

type Table = typeof FILES | typeof RENDERING | typeof PUSH | typeof LOG | typeof EMAIL | typeof ADMIN;

const SERVICES: Readonly<Record<keyof Api, readonly [path: string, table: Table]>> = {
  admin: [ADMIN_SERVICE, ADMIN],
  email: [EMAIL_SERVICE, EMAIL],
  files: [FILES_SERVICE, FILES],
  log: [LOG_SERVICE, LOG],
  push: [PUSH_SERVICE, PUSH],
  rendering: [RENDERING_SERVICE, RENDERING],
};

export const LANGUAGES = ['cURL', 'JavaScript', 'Python'] as const;
type Language = (typeof LANGUAGES)[number];

/** Writes a request as a program, which reads the key from a variable. */
export function codeOf({ service, operation, variables }: ObjectRequest, language: Language): string {
  const [path, table] = SERVICES[service];
  const entry = table[operation as never] as Entry;
  if (language === 'JavaScript') return javascript(service, operation, variables);
  if (language === 'Python') return python(service, operation, variables, entry);
  return curl(path, writeDocument(entry.kind, operation, entry.args, Object.keys(variables), entry.all), variables);
}

const javascript = (service: string, operation: string, variables: Variables) =>
  [
    `import { createClient } from '@platform-services/client';`,
    '',
    `const client = createClient({ url: '${location.origin}', key: process.env.KEY });`,
    `console.log(await client.${service}.${operation}(${JSON.stringify(variables, undefined, 2)}));`,
  ].join('\n');

function python(service: string, operation: string, variables: Variables, { args }: Entry): string {
  const inputs = new Set<string>();
  const written = Object.entries(variables).map(
    ([name, value]) => `${snake(name)}=${pythonValue(value, args[name]!.replaceAll(/[![\]]/g, ''), service, inputs)}`,
  );
  return [
    'import os',
    '',
    'from platform_services import Client',
    ...(inputs.size > 0 ? [`from platform_services.types import ${service}`] : []),
    '',
    `client = Client("${location.origin}", os.environ["KEY"])`,
    `print(client.${service}.${snake(operation)}(${written.join(', ')}))`,
  ].join('\n');
}

/** Types of the inputs in an input, by its field. */
const INNER: Readonly<Record<string, string>> = { createdAt: 'DateTimeFilter', dateTime: 'DateTimeFilter' };

/** Writes a value: an input as its class, and a text as JSON, which Python reads alike. */
function pythonValue(value: unknown, type: string, service: string, inputs: Set<string>): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => pythonValue(one, type, service, inputs)).join(', ')}]`;
  inputs.add(type);
  const fields = Object.entries(value).map(
    ([name, one]) => `${snake(name)}=${pythonValue(one, INNER[name] ?? type, service, inputs)}`,
  );
  return `${service}.${type}(${fields.join(', ')})`;
}

/** Python name of a field or argument; reserved words end in an underscore. */
function snake(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return words === 'from' ? 'from_' : words;
}
