// @nightly postgresql: no SQL of its own
import type { GraphQLField, GraphQLInputType, GraphQLObjectType } from 'graphql';
import { SERVICES } from '../src/common/auth/scopes.js';
import type { Parameter } from '../src/rest/parameters.js';
import type { RestOperation } from '../src/rest/rest-operations.js';
import { documentOf } from '../src/common/graphql/documents/selection.js';
import { Api } from './support/api.js';
import { Email } from './support/email.js';
import { World } from './support/isolation-worlds.js';
import { Choices } from './support/random-operations.js';
import { operationsOf, Rest } from './support/rest.js';
import { graphql } from './support/schemas.js';

const COMPARISONS = process.env.TEST_LONG === '1' ? 5_000 : 500;
/** Share of mutations. They name unknown objects, so that both ways refuse them alike. */
const MUTATIONS = 0.1;
const TEXTS = ['', 'text', 'ä"\n', 'id', 'a;b&c=d', '2026-01-02', '🙂', '-1', 'null'];
/** Signatures of URLs, which differ from second to second. */
const SIGNED = /expires=\d+&signature=[\w-]+/g;
/** Time of the last sample of storageHistory, which is that of the request. */
const SAMPLED = /"at":"[^"]+"/g;

describe('REST answers', () => {
  let email: Email;
  let world: World;
  let rest: Rest;
  let all: readonly RestOperation[];
  beforeAll(async () => {
    email = await Email.start();
    world = await World.make(email);
    rest = new Rest(email.server.address, world.key);
    all = operationsOf(email.server);
  }, 120_000);
  afterAll(async () => {
    await world.leave();
    await email.server.stop();
    await email.mail.stop();
  });

  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

  it(`equal those of GraphQL in ${COMPARISONS} random requests, seed ${seed}`, async () => {
    const choices = new Choices(seed);
    const queries = all.filter(({ kind }) => kind === 'query');
    const mutations = all.filter(({ kind, acceptsContent }) => kind === 'mutation' && !acceptsContent);
    const outcomes = new Map<string, number>();
    for (let done = 0; done < COMPARISONS; done++) {
      const operation = choices.of(choices.happens(MUTATIONS) ? mutations : queries);
      const asked = new Request(choices, operation, world);
      const both = async () => [await asked.byRest(rest), await asked.byGraphql(email.server.address, world.key)] as const;
      let [seen, expected] = await both();
      // Events and hours pass between two requests; what is not equal then stays so.
      for (let again = 0; again < 2 && JSON.stringify(seen) !== JSON.stringify(expected); again++)
        [seen, expected] = await both();
      expect({ asked: asked.shown, answer: seen }).toEqual({ asked: asked.shown, answer: expected });
      const outcome = seen.code ?? 'ok';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    // Otherwise the requests would compare refusals alone, or never one.
    expect(outcomes.get('ok')).toBeGreaterThan(COMPARISONS / 4);
    expect(outcomes.get('BAD_USER_INPUT')).toBeGreaterThan(COMPARISONS / 50);
    expect(new Set(all.map(({ service }) => service))).toEqual(new Set(SERVICES));
  }, 600_000);
});

interface Outcome {
  code?: string;
  value?: unknown;
}

/** A random request to an operation, as both ways send it. */
class Request {
  private readonly path = new Map<string, string>();
  private readonly search: [string, string][] = [];
  private readonly variables: Record<string, any> = {};
  private readonly body: any;
  private readonly document: string;

  constructor(
    private readonly choices: Choices,
    private readonly operation: RestOperation,
    private readonly world: World,
  ) {
    const { parameters, body, field } = operation;
    for (const parameter of parameters) if (parameter.name !== 'fields') this.give(parameter);
    if (body?.fields) {
      const given: Record<string, unknown> = {};
      for (const { name, type } of body.fields) {
        if (graphql.isNonNullType(type) || choices.happens(0.3)) given[name] = this.json(type, `${field.name}.input.${name}`, 0);
      }
      this.body = given;
      if (body.kind === 'input') this.variables.input = { ...this.variables.input, ...given };
      else Object.assign(this.variables, given);
    } else if (body) {
      this.body = [];
      this.variables.input = [];
    }
    const fields = choices.happens(0.5) ? this.fields(field) : undefined;
    if (fields !== undefined) this.search.push(['fields', fields]);
    this.document = documentOf(operation, fields);
  }

  get shown(): string {
    const { method, path } = this.operation;
    return `${method} ${path} ${JSON.stringify([...this.path])} ${JSON.stringify(this.search)} ${JSON.stringify(this.body)}`;
  }

  async byRest(rest: Rest): Promise<Outcome> {
    const { method, path } = this.operation;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(this.path.get(name)!));
    const { status, body } = await rest.send(method, filled, { query: this.search, body: this.body });
    return status < 300 ? { value: this.comparable(body) } : { code: body.code };
  }

  async byGraphql(address: string, key: string): Promise<Outcome> {
    const { service, field, kind, parameters } = this.operation;
    const { data, errors } = await new Api(address, service, key).send(this.document, this.variables);
    const value = data?.[field.name] ?? null;
    if (errors) return { code: errors[0]!.extensions.code.replace('GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT') };
    const isMissing = value === null && kind === 'query' && parameters.some((each) => each.in === 'path');
    return isMissing ? { code: 'NOT_FOUND' } : { value: this.comparable(value) };
  }

  /** Returns what two equal requests have in common: of a change, the fields alone. */
  private comparable(value: unknown): unknown {
    const text = (JSON.stringify(value) ?? 'null').replaceAll(SIGNED, '').replaceAll(SAMPLED, '"at":""');
    const isLeaf = (inner: unknown) => typeof inner !== 'object' || inner === null;
    const isChange = this.operation.kind === 'mutation';
    return JSON.parse(text, (_, inner: unknown) => (isChange && isLeaf(inner) ? 'value' : inner));
  }

  private give({ name, in: where, place, declared, isRequired }: Parameter): void {
    const { choices, operation } = this;
    if (where === 'query' && !isRequired && choices.happens(0.75)) return;
    const type = graphql.getNullableType(declared.type);
    const path = [operation.field.name, ...place].join('.');
    const isList = graphql.isListType(type);
    const count = isList ? 1 + choices.below(2) : 1;
    const values = Array.from({ length: count }, () =>
      this.leaf(graphql.getNamedType(type).name, isList ? `${path}.0` : path, type),
    );
    if (where === 'path') this.path.set(name, String(values[0]) || 'x');
    else for (const value of values) this.search.push([name, String(value)]);
    const value = where === 'path' ? String(values[0]) || 'x' : isList ? values : values[0];
    let parent = this.variables;
    for (const key of place.slice(0, -1)) parent = parent[key] ??= {};
    parent[place.at(-1)!] = value;
  }

  /** Returns a value of a scalar: often one of an object of the world, unless the operation would change it. */
  private leaf(scalar: string, path: string, type: GraphQLInputType): any {
    const { choices, operation, world } = this;
    const known = operation.kind === 'query' ? world.objectAt(operation.service, path) : undefined;
    if (known !== undefined && choices.happens(0.7)) return known;
    const named = graphql.getNamedType(type);
    if (graphql.isEnumType(named)) return choices.happens(0.1) ? 'NOTHING' : choices.of(named.getValues()).name;
    if (scalar === 'Int') return choices.happens(0.1) ? 'x' : choices.of([1, 2, 3, 10, 0, -1, 5_000]);
    if (scalar === 'Float') return choices.below(10) / 4;
    if (scalar === 'Boolean') return choices.happens(0.5);
    if (scalar === 'DateTime')
      return choices.of(['2026-01-02T03:04:05.000Z', '2024-01-01', '2030-01-01T00:00:00+02:00', 'never']);
    return choices.of(TEXTS);
  }

  private json(type: GraphQLInputType, path: string, depth: number): any {
    const { choices } = this;
    if (choices.happens(0.03)) return choices.of<unknown>([{}, 'x', 1.5, true, { unknown: 1 }]);
    const inner = graphql.getNullableType(type) as GraphQLInputType;
    if (graphql.isListType(inner)) {
      return Array.from({ length: choices.below(3) }, () => this.json(inner.ofType as GraphQLInputType, path, depth + 1));
    }
    if (graphql.isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields()).filter(
        (field) => graphql.isRequiredInputField(field) || (depth < 2 && choices.happens(0.3)),
      );
      return Object.fromEntries(fields.map((field) => [field.name, this.json(field.type, `${path}.${field.name}`, depth + 1)]));
    }
    return this.leaf(graphql.getNamedType(inner).name, path, inner);
  }

  private fields(field: GraphQLField<unknown, unknown>): string | undefined {
    const page = graphql.getNullableType(field.type);
    const items = graphql.isObjectType(page) && page.getFields().nextToken ? page.getFields().items : undefined;
    const type = graphql.getNamedType(items?.type ?? field.type);
    if (!graphql.isObjectType(type)) return undefined;
    return Array.from({ length: 1 + this.choices.below(4) }, () => this.onePath(type)).join(',');
  }

  private onePath(type: GraphQLObjectType): string {
    const { choices } = this;
    const field = choices.of(Object.values(type.getFields()));
    const inner = graphql.getNamedType(field.type);
    return graphql.isObjectType(inner) && choices.happens(0.6) ? `${field.name}.${this.onePath(inner)}` : field.name;
  }
}
