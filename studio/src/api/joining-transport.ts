import { isPassing, untilAborted } from '../../../clients/js/src/retry';
import { Transport } from '../../../clients/js/src/transport';

type Request = Parameters<Transport['send']>[1];
type Answer = Awaited<ReturnType<Transport['send']>>;

interface Waiting {
  request: Request;
  alone: () => Promise<Answer>;
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
}

let waiting: Map<JoiningTransport, Map<string, Waiting[]>> | undefined;

/** Joins the queries of one task into one request per service. */
export function joinQueries(): void {
  if (waiting) return;
  waiting = new Map();
  setTimeout(() => {
    const all = waiting;
    waiting = undefined;
    for (const [transport, services] of all ?? [])
      for (const [service, some] of services) void transport.sendJoined(service, some);
  });
}

/** A transport that can send several queries of a service in one request. */
export class JoiningTransport extends Transport {
  override send(service: string, request: Request, options: { signal?: AbortSignal } = {}): Promise<Answer> {
    const alone = () => super.send(service, request, options);
    if (!waiting || !QUERY.test(request.query)) return alone();
    const services = waiting.get(this) ?? new Map<string, Waiting[]>();
    waiting.set(this, services);
    const answer = new Promise<Answer>((resolve, reject) => {
      services.set(service, [...(services.get(service) ?? []), { request, alone, resolve, reject }]);
    });
    return untilAborted(answer, options.signal);
  }

  /** Sends queries as one, or each alone if one of them is refused. */
  async sendJoined(service: string, some: readonly Waiting[]): Promise<void> {
    if (some.length === 1) return some[0]!.resolve(some[0]!.alone());
    try {
      const answer = await super.send(service, joined(some.map(({ request }) => request)));
      some.forEach(({ request, resolve }, at) => resolve({ [nameOf(request)]: answer[`q${at}`] }));
    } catch (error) {
      for (const { alone, resolve, reject } of some) {
        if (isPassing(error)) reject(error);
        else resolve(alone());
      }
    }
    return undefined;
  }
}

/** A query with one root field, as the client writes it. */
const QUERY = /^query (\w+)(?:\((.*?)\))? \{ (.*) \}$/s;
const STRING_OR_VARIABLE = /"(?:[^"\\]|\\.)*"|\$(\w+)/g;

const nameOf = ({ query }: Request): string => QUERY.exec(query)![1]!;

function joined(requests: readonly Request[]): Request {
  const parts = requests.map(({ query, variables }, at) => {
    const [, , declared = '', field] = QUERY.exec(query)!;
    const own = (text: string) =>
      text.replaceAll(STRING_OR_VARIABLE, (found, name?: string) => (name ? `$q${at}_${name}` : found));
    const renamed = Object.entries(variables).map(([name, value]) => [`q${at}_${name}`, value] as const);
    return { declared: own(declared), field: `q${at}: ${own(field!)}`, variables: Object.fromEntries(renamed) };
  });
  const declared = parts.map((part) => part.declared).filter(Boolean);
  return {
    query: `query updates${declared.length > 0 ? `(${declared.join(', ')})` : ''} { ${parts.map(({ field }) => field).join(' ')} }`,
    variables: Object.assign({}, ...parts.map(({ variables }) => variables)) as object,
    isRepeatable: true,
  };
}
