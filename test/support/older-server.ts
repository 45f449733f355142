import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  getVariableValues,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';

/** Fields that the older server lacks, by type. */
const LATER: Record<string, string[]> = {
  Query: ['fileFolders'],
  File: ['expiresAt', 'attributes'],
  Author: ['name'],
  CreateFileInput: ['accept'],
  MessageInput: ['idempotencyKey'],
  FilesFilter: ['folder'],
  'Query.files': ['limit'],
};
function olderSchema(service: string): GraphQLSchema {
  const whole = parse(readFileSync(new URL(`../../schema/${service}.graphql`, import.meta.url), 'utf8'));
  const isHere = (type: string) => (named: { name: { value: string } }) => !LATER[type]?.includes(named.name.value);
  const older = visit(whole, {
    [Kind.OBJECT_TYPE_DEFINITION]: ({ name: { value: type }, fields = [], ...node }) => ({
      ...node,
      name: { kind: Kind.NAME, value: type },
      fields: fields
        .filter(isHere(type))
        .map((field) => ({ ...field, arguments: field.arguments?.filter(isHere(`${type}.${field.name.value}`)) })),
    }),
    [Kind.INPUT_OBJECT_TYPE_DEFINITION]: (node) => ({ ...node, fields: node.fields?.filter(isHere(node.name.value)) }),
  });
  return buildASTSchema(older);
}

/** Names what is wrong with the values of an operation, as servers say it. */
function inputFaults(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>) {
  const { variableDefinitions = [] } = document.definitions[0] as OperationDefinitionNode;
  return getVariableValues(schema, variableDefinitions, variables).errors ?? [];
}

interface Answer {
  status: number;
  json: unknown;
}

/** A front of a server, which refuses what an older release would not know and hands on the rest. GET /asked tells what came. */
export class OlderServer {
  /** The texts of the operations that came. */
  readonly asked: string[] = [];
  private readonly schemas = new Map(
    ['file-management', 'websockets-manager'].map((service) => [service, olderSchema(service)] as const),
  );

  private constructor(
    private readonly address: string,
    private readonly front: Server,
  ) {}

  static async before(address: string): Promise<OlderServer> {
    const front = createServer();
    const older = new OlderServer(address, front);
    front.on('request', async (request, response) => {
      const { status, json } =
        request.url === '/asked' ? older.tell() : await older.answer(request.url!, request.headers, await text(request));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    return older;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.front.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.front.close();
  }

  private tell(): Answer {
    return { status: 200, json: this.asked.splice(0) };
  }

  private async answer(url: string, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
    const schema = this.schemas.get(url.split('/')[1]!)!;
    const { query, variables = {} } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
    this.asked.push(query);
    const refuse = (status: number, code: string, faults: readonly { message: string }[]) => ({
      status,
      json: { errors: faults.map(({ message }) => ({ message, extensions: { code } })) },
    });
    const faults = validate(schema, parse(query));
    if (faults.length > 0) return refuse(400, 'GRAPHQL_VALIDATION_FAILED', faults);
    const wrong = inputFaults(schema, parse(query), variables);
    if (wrong.length > 0) return refuse(200, 'BAD_USER_INPUT', wrong);
    if (query.includes('__schema')) return { status: 200, json: await execute({ schema, document: parse(query) }) };
    const passed = { 'content-type': 'application/json', 'x-api-key': String(headers['x-api-key']) };
    const real = await fetch(this.address + url, { method: 'POST', headers: passed, body });
    return { status: real.status, json: await real.json() };
  }
}
