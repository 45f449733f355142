// @nightly: a tenant with 300,000 rows of everything
import { jest } from '@jest/globals';
import { ALL_SCOPES, SERVICES, type Service } from '../src/common/auth/scopes.js';
import { RequestGate } from '../src/common/http/request-gate.js';
import { Api } from './support/api.js';
import { FROM, type Email } from './support/email.js';
import { World } from './support/isolation-worlds.js';
import { largestArguments, largestRoutes } from './support/largest-arguments.js';
import { type ManyRows, ManyRowsFiller } from './support/many-rows.js';
import { type Call, faultsOf, OneCall } from './support/one-call.js';
import { Deployment, freePort, SERVER, type ServerProcess } from './support/process.js';
import { type RootField, rootFieldsOf } from './support/root-fields.js';
import { TestServer } from './support/server.js';
import { MailServer } from './support/smtp.js';

const LIMIT_MS = 900_000;
const ROWS = Number(process.env.ONE_CALL_ROWS ?? 300_000);
/** Fewer aliases if the maximum exceeds the cost limit. */
const ALIASES = [100, 50, 20, 10, 5, 2];
/** Refusals before any work, after which a measurement shows nothing. */
const IN_VAIN = /"code":"(BAD_USER_INPUT|NOT_FOUND|GRAPHQL_VALIDATION_FAILED|FORBIDDEN)"/;
const TOO_MUCH = /"code":"(GRAPHQL_VALIDATION_FAILED|PAYLOAD_TOO_LARGE)"/;
/** Selects operations and routes by name, for development. */
const ONLY = process.env.ONE_CALL_ONLY?.split(',');

/** Fields of one name that differ between services. */
const OF_ONE_SERVICE = /^(messages|messageActivity|cancelMessage)$/;

/** Reads come first, then changes, what takes objects away, and what fills up small limits. */
function turnOf({ kind, name }: RootField): number {
  if (kind === 'query') return 0;
  if (/^create(Webhook|LogStream|EmailDomain)$/.test(name)) return 3;
  return /^(delete|abort|cancel|complete)/.test(name) ? 2 : 1;
}

const wanted = (what: string): boolean => !ONLY || ONLY.some((name) => what.includes(name));

/** Every route of the running app with a class of work, as `GET /path`. */
async function routesOf(): Promise<string[]> {
  const routes = new Set<string>();
  const gate = RequestGate.prototype as unknown as { declare(route: { method: string | string[]; url: string }): void };
  const { declare } = gate;
  const spy = jest.spyOn(gate, 'declare').mockImplementation(function (this: unknown, route) {
    for (const method of [route.method].flat()) if (!['HEAD', 'OPTIONS'].includes(method)) routes.add(`${method} ${route.url}`);
    return declare.call(this, route);
  });
  const server = await TestServer.start();
  spy.mockRestore();
  await server.stop();
  return [...routes];
}

describe('one call', () => {
  let deployment: Deployment;
  let mail: MailServer;
  let server: ServerProcess;
  let begin: () => Promise<void>;
  let small: Call;
  let address: string;
  let key: string;
  let neighbour: string;
  let rows: ManyRows;
  let one: OneCall;
  const red: string[] = [];
  /** Names of the fields that were measured: webhooks are the same in each service. */
  const measured = new Set<string>();

  beforeAll(async () => {
    mail = await MailServer.start();
    const settings = {
      PORT: String(await freePort()),
      SMTP_URL: mail.url,
      EMAIL_FROM: FROM,
      RETURN_PATH_DOMAIN: 'bounces.sender.example',
    };
    deployment = await Deployment.create(settings);
    const [program, ...args] = SERVER.filter((arg) => arg !== '--no-opt') as [string, ...string[]];
    begin = async () => {
      server = deployment.start({}, [program, '--import', './test/support/loop-probe.mjs', ...args]);
      address = await server.ready();
    };
    await begin();
    const keyOf = (tenant: string) => deployment.keys('create', '--tenant', tenant, '--scope', ALL_SCOPES);
    [key, neighbour] = [await keyOf('busy'), await keyOf('neighbour')];
    const filler = new ManyRowsFiller(deployment, key, ROWS);
    rows = await filler.byApi(address);
    await server.stop();
    await filler.byCopies();
    await begin();
    const files = new Api(address, 'file-management', neighbour);
    const { createFile } = await files.ask('mutation{createFile(input:{name:"small"}){id}}');
    small = callOf('file-management', neighbour, `{file(ID:"${createFile.id}"){name}}`, {});
    one = new OneCall(server, address, small);
    await one.rest();
  }, LIMIT_MS);
  afterAll(async () => {
    await deployment?.remove();
    await mail?.stop();
  }, LIMIT_MS);

  const callOf = (service: Service, of: string, query: string, variables: object): Call => ({
    path: `/${service}/graphql`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': of },
    body: JSON.stringify({ query, variables }),
  });

  /** Measures outliers again, since a garbage collection or another program may be the cause. */
  async function measure(what: string, costOf: () => Promise<Parameters<typeof faultsOf>[0]>): Promise<void> {
    let faults: string[] = [];
    for (let tries = 0; tries < 2; tries++) {
      await one.rest();
      faults = faultsOf(await costOf());
      if (faults.length === 0) return;
    }
    red.push(`${what} ${faults.join('; ')}`);
    process.stderr.write(`${red.at(-1)}\n`);
    // Restarted, so that a fault counts once, not again in each call after it.
    await server.stop('SIGKILL');
    await begin();
    one = new OneCall(server, address, small);
  }

  async function measureCall(what: string, call: Call): Promise<void> {
    await measure(what, () => one.costBeside(call));
    await measure(what, async () => ({ leftMs: await one.workLeft(call) }));
  }

  const requestOf = (field: RootField, aliases: number): Call => {
    const { query, variables } = field.request(aliases);
    return callOf(field.service, key, query, variables);
  };

  /** Returns why a field is refused before it does its work, if it is. */
  async function refusalOf(field: RootField): Promise<string | undefined> {
    const answer = await one.answerOf(requestOf(field, 1));
    return answer && IN_VAIN.test(answer.text) ? answer.text.slice(0, 300) : undefined;
  }

  async function measureField(field: RootField): Promise<void> {
    const what = `${field.service} ${field.name}`;
    await measure(`${what}, alone,`, () => one.costBeside(requestOf(field, 1)));
    for (const aliases of ALIASES) {
      const many = await one.answerOf(requestOf(field, aliases));
      if (many && TOO_MUCH.test(many.text.slice(0, 1_000)) && aliases > 2) continue;
      return measureCall(`${what}, ${aliases} times,`, requestOf(field, aliases));
    }
  }

  it.each(SERVICES)(
    'of %s holds nobody up, whatever it asks for',
    async (service) => {
      red.length = 0;
      const own = { server: { address, createKey: async () => key }, mail } as unknown as Email;
      let world = await World.make(own, service);
      const largest = largestArguments(rows)[service] ?? {};
      const known = (field: string, args: string[]) => {
        const objects = args.map((arg) => [arg, world.objectAt(service, `${field}.${arg}`)] as const);
        const ids = Object.fromEntries(objects.filter(([arg, value]) => value !== undefined && !/token/i.test(arg)));
        const most = Object.entries(largest[field] ?? {}).map(([arg, value]) => [
          arg,
          typeof value === 'function' ? value(ids[arg]) : value,
        ]);
        return { ...ids, ...world.known(service, field), ...Object.fromEntries(most) };
      };
      const fields = await rootFieldsOf(new Api(address, service, key), known);
      for (const field of fields.toSorted((a, b) => turnOf(a) - turnOf(b))) {
        if (!wanted(field.name) || (measured.has(field.name) && !OF_ONE_SERVICE.test(field.name))) continue;
        measured.add(field.name);
        let refusal = await refusalOf(field);
        // An earlier operation may have deleted its object.
        if (refusal) world = await World.make(own, service);
        if (refusal) refusal = await refusalOf(field);
        if (refusal) red.push(`${service} ${field.name} needs arguments in test/support/largest-arguments.ts: ${refusal}`);
        else await measureField(field);
      }
      await world.leave();
      expect(red).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'of each route holds nobody up',
    async () => {
      red.length = 0;
      const calls = largestRoutes(rows, key);
      for (const route of await routesOf()) {
        if (!wanted(route)) continue;
        if (!(route in calls)) red.push(`${route} is not known to largestRoutes of test/support/largest-arguments.ts`);
        for (const call of calls[route] ?? []) await measureCall(`${route} (${call.path.slice(0, 80)})`, call);
      }
      expect(red).toEqual([]);
    },
    LIMIT_MS,
  );
});
