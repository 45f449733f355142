import {
  OPERATIONS as ADMIN,
  type Operations as AdminOperations,
  SERVICE as ADMIN_SERVICE,
} from '../../../clients/js/src/generated/admin';
import {
  OPERATIONS as EMAIL,
  type Operations as EmailOperations,
  SERVICE as EMAIL_SERVICE,
} from '../../../clients/js/src/generated/email';
import {
  OPERATIONS as FILES,
  type Operations as FilesOperations,
  SERVICE as FILES_SERVICE,
} from '../../../clients/js/src/generated/files';
import {
  OPERATIONS as LOG,
  type Operations as LogOperations,
  SERVICE as LOG_SERVICE,
} from '../../../clients/js/src/generated/log';
import {
  OPERATIONS as PUSH,
  type Operations as PushOperations,
  SERVICE as PUSH_SERVICE,
} from '../../../clients/js/src/generated/push';
import {
  OPERATIONS as RENDERING,
  type Operations as RenderingOperations,
  SERVICE as RENDERING_SERVICE,
} from '../../../clients/js/src/generated/rendering';
import { type Service, serviceOf } from '../../../clients/js/src/operations';
import { calls } from './calls';
import { JoiningTransport } from './joining-transport';
import { link } from './link';
import { countedFetch } from './rate';
import type { ServiceName } from './scope';
import { signed } from './signed';

/** All services, with the rights of one key. Types and documents come from the schemas, as in the client for applications. */
export interface Api {
  readonly files: Service<FilesOperations>;
  readonly rendering: Service<RenderingOperations>;
  readonly push: Service<PushOperations>;
  readonly log: Service<LogOperations>;
  readonly email: Service<EmailOperations>;
  readonly admin: Service<AdminOperations>;
}

/** Description of a key by the server. */
export interface KeyDescription {
  id: string;
  name: string | null;
  prefix: string;
  scope: string[];
  expiresAt: string | null;
  tenant: { id: string; name: string };
  limits: { name: LimitName; limit: number | null; used: number }[];
}

export type LimitName =
  'storedBytes' | 'files' | 'waitingMessages' | 'templates' | 'stylesheets' | 'mailsPerDay' | 'waitingEvents';

/** Sends a request, records it for the drawer of GraphQL calls, and detects an unreachable server. */
async function recordingFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const begun = performance.now();
  let response: Response;
  try {
    response = await countedFetch(input, init);
  } catch (error) {
    if (!init?.signal?.aborted) link.lose();
    throw error;
  }
  const path = new URL(String(input), location.href).pathname;
  const [, service, kind] = path.split('/');
  if (kind !== 'graphql') return response;
  const ms = performance.now() - begun;
  const { query, variables } = JSON.parse(String(init?.body)) as { query: string; variables: object };
  const operation = /^\w+ (\w+)/.exec(query)?.[1] ?? '';
  const text = await response.text();
  const requestId = response.headers.get('x-request-id') ?? undefined;
  calls.note({
    service: service as ServiceName,
    operation,
    query,
    variables,
    at: new Date(),
    ms,
    answer: parsed(text),
    requestId,
  });
  return new Response(text, { status: response.status, headers: response.headers });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the services for a key, whose name is set as author of changes. */
export function apiOf(key: string, name: string | null): Api {
  const transport = new JoiningTransport({ url: location.origin, key, retries: 1, fetch: recordingFetch });
  return {
    files: signed(serviceOf<FilesOperations>(transport, FILES_SERVICE, FILES), name),
    rendering: signed(serviceOf<RenderingOperations>(transport, RENDERING_SERVICE, RENDERING), name),
    push: serviceOf<PushOperations>(transport, PUSH_SERVICE, PUSH),
    log: serviceOf<LogOperations>(transport, LOG_SERVICE, LOG),
    email: serviceOf<EmailOperations>(transport, EMAIL_SERVICE, EMAIL),
    admin: serviceOf<AdminOperations>(transport, ADMIN_SERVICE, ADMIN),
  };
}
