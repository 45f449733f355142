import type { GraphQLField, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { listSizeOf } from '../../src/common/scheduling/list-size.js';
import { ENDPOINTS } from '../../src/common/auth/scopes.js';
import {
  costOf,
  MAX_ALIASES,
  MAX_COST,
  MAX_DEPTH,
  operationCosts,
  queryLimits,
} from '../../src/common/graphql/documents/query-limits.js';
import { executedSchemas, graphql, schemaWith } from '../support/schemas.js';
import { TestServer } from '../support/server.js';
import { workedMs } from '../support/time.js';

const { getIntrospectionQuery, getNamedType, getNullableType, isCompositeType, isListType, isObjectType, parse, validate } =
  graphql;

const nested = (depth: number) => '{__schema' + '{a'.repeat(depth - 1) + '}'.repeat(depth - 1) + '}';
const times = (count: number, part: (index: number) => string) => Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('limits of a GraphQL operation', () => {
  let server: TestServer;
  let files: GraphQLSchema;
  beforeAll(async () => {
    server = await TestServer.start();
    files = schemaWith(server, 'filesWithExternalReference');
  });
  afterAll(() => server.stop());

  const refusals = (query: string, schema = files) => validate(schema, parse(query), [queryLimits]).map(({ message }) => message);
  /** Cost of an operation, whether it is allowed or not. */
  const cost = (query: string, schema = files) => {
    const document = parse(query);
    validate(schema, document, [queryLimits]);
    return operationCosts.get(document.definitions.find(({ kind }) => kind === 'OperationDefinition') as never);
  };
  const costWith = (query: string, variables: Record<string, unknown>, schema = files) => {
    const document = parse(query);
    validate(schema, document, [queryLimits]);
    return costOf(document.definitions[0] as OperationDefinitionNode, { schema, document, variables });
  };

  it('include the largest size of every list of the six schemas', () => {
    const schemas = executedSchemas(server);
    expect(schemas).toHaveLength(ENDPOINTS.length);
    const lists = schemas.flatMap((schema) => allFields(schema).filter(([, field]) => isListType(getNullableType(field.type))));
    expect(lists.length).toBeGreaterThanOrEqual(20);
    expect(lists.filter(([, field]) => !listSizeOf(field)).map(([name]) => name)).toEqual([]);
    for (const [name, field] of lists) {
      const { maxItems, countedItems } = listSizeOf(field)!;
      expect([name, countedItems >= 1 && countedItems <= maxItems]).toEqual([name, true]);
    }
  });

  it('allow a page of the largest size with every field of every service, with limit as a number and as a variable', () => {
    const pages = executedSchemas(server).flatMap((schema) =>
      Object.values(schema.getQueryType()!.getFields())
        .filter(({ args }) => args.some(({ name }) => name === 'limit') && args.some(({ name }) => name === 'nextToken'))
        .map((field) => ({ schema, field })),
    );
    expect(pages.length).toBe(30);
    for (const { schema, field } of pages) {
      const everything = selectionOf(getNamedType(field.type));
      for (const query of [`{${field.name}(limit:1000)${everything}}`, `query($n:Int){${field.name}(limit:$n)${everything}}`]) {
        expect([field.name, refusals(query, schema)]).toEqual([field.name, []]);
        expect(costWith(query, { n: 1_000 }, schema)).toBeLessThanOrEqual(MAX_COST);
      }
    }
  });

  it('allow every field that returns a list with everything below it and no limit', () => {
    for (const schema of executedSchemas(server)) {
      for (const root of [schema.getQueryType()!, schema.getMutationType()!]) {
        const operation = root === schema.getQueryType() ? 'query' : 'mutation';
        for (const field of Object.values(root.getFields())) {
          const type = getNamedType(field.type);
          const query = `${operation}{${field.name}${isCompositeType(type) ? selectionOf(type) : ''}}`;
          expect([field.name, refusals(query, schema)]).toEqual([field.name, []]);
        }
      }
    }
  });

  it('allow the standard introspection query', () => {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true });
    expect(refusals(query)).toEqual([]);
  });

  it('refuse deep nesting', () => {
    expect(refusals(nested(MAX_DEPTH))).toEqual([]);
    expect(refusals(nested(MAX_DEPTH + 1))).toEqual([expect.stringContaining(`at most ${MAX_DEPTH}`)]);
  });

  it('refuse too many aliases, also through fragments', () => {
    const aliases = (count: number) => times(count, (i) => `a${i}:version`);
    expect(refusals(`{${aliases(MAX_ALIASES)}}`)).toEqual([]);
    expect(refusals(`{${aliases(MAX_ALIASES + 1)}}`)).toEqual([expect.stringContaining('aliases')]);
    expect(refusals(`{...f ...f} fragment f on Query{${aliases(MAX_ALIASES / 2 + 1)}}`)).toEqual([
      expect.stringContaining('aliases'),
    ]);
  });

  it('refuse what could resolve too many fields', () => {
    const pages = times(30, (i) => `p${i}:files(limit:1000){items{id name comment status}}`);
    expect(refusals(`{${pages}}`)).toEqual([expect.stringContaining(`at most ${MAX_COST}`)]);
    const lists = times(100, (i) => `p${i}:filesWithExternalReference(externalReference:"x"){id name comment status}`);
    expect(refusals(`{${lists}}`)).toEqual([expect.stringContaining(`at most ${MAX_COST}`)]);
  });

  it('count a page with its limit, and without one with its default', () => {
    expect(cost('{files(limit:10){items{id name}}}')).toBe(1 + 1 + 10 * 2);
    expect(cost('{files{items{id name} nextToken}}')).toBe(1 + 1 + 100 * 2 + 1);
    expect(cost('{templates{items{id name}}}', schemaWith(server, 'templates'))).toBe(1 + 1 + 1_000 * 2);
    expect(cost('{filesWithExternalReference(externalReference:"x",limit:10000){id}}')).toBe(1 + 10_000);
    expect(cost('{files(limit:1000000){items{id}}}')).toBe(1 + 1 + 1_000);
  });

  it('count the items of a page through fragments', () => {
    const plain = cost('{files(limit:10){items{id name}}}');
    expect(cost('{files(limit:10){...{items{id name}}}}')).toBe(plain);
    expect(cost('{files(limit:10){...on FilesResult{items{...{id name}}}}}')).toBe(plain);
    expect(cost('query{files(limit:10){...f}} fragment f on FilesResult{items{...g}} fragment g on File{id name}')).toBe(plain);
    expect(cost('query{...q} fragment q on Query{files(limit:10){...f}} fragment f on FilesResult{items{id name}}')).toBe(plain);
    const both = 'query{a:files(limit:10){...f} b:files(limit:20){...f}} fragment f on FilesResult{items{id name}}';
    expect(cost(both)).toBe(1 + 1 + 10 * 2 + (1 + 1 + 20 * 2));
  });

  it('count a limit that is a variable as the largest, and with its value once known', () => {
    const query = 'query($n:Int){filesWithExternalReference(externalReference:"x",limit:$n){id name}}';
    expect(cost(query)).toBe(1 + 10_000 * 2);
    const page = 'query($n:Int){files(limit:$n){items{id name}}}';
    expect(cost(page)).toBe(1 + 1 + 1_000 * 2);
    expect(costWith(page, { n: 10 })).toBe(1 + 1 + 10 * 2);
    const expensive = `query($n:Int){filesWithExternalReference(externalReference:"x",limit:$n)${selectionOf(files.getType('File')!)}}`;
    expect(refusals(expensive)).toEqual([]);
    expect(costWith(expensive, { n: 10_000 })).toBeGreaterThan(MAX_COST);
    expect(costWith(expensive, { n: 1_000 })).toBeLessThan(MAX_COST);
    expect(costWith(expensive, {})).toBe(costWith(expensive, { n: 1_000 }));
    expect(costWith(expensive.replace('$n:Int', '$n:Int=10000'), {})).toBe(costWith(expensive, { n: 10_000 }));
  });

  it('charge for the length of a text that heavy work reads, and of the request if it is a variable', () => {
    const schema = schemaWith(server, 'suppressions');
    const query = 'mutation($r:String!){reportBounce(report:$r){kind}}';
    const costs = [0, 1_000, 100_000, 1_000_000].map((length) => costWith(query, { r: 'a'.repeat(length) }, schema));
    expect(costs).toEqual([2, 2 + 20, 2 + 1_908, 2 + 5_000]);
    expect(cost(query, schema)).toBe(2 + 5_000);
    expect(cost('mutation{reportBounce(report:"short"){kind}}', schema)).toBe(2 + 1);
    expect(costWith('mutation($r:String="short"){reportBounce(report:$r){kind}}', {}, schema)).toBe(2 + 1);
    const many = `mutation($r:String!){${times(21, (n) => `a${n}:reportBounce(report:$r){kind}`)}}`;
    expect(costWith(many, { r: 'a'.repeat(300_000) }, schema)).toBeGreaterThan(MAX_COST);
    expect(costWith(many, { r: 'a' }, schema)).toBeLessThan(MAX_COST);
    expect(refusals(many, schema)).toEqual([]);
  });

  it('count nested lists with their sizes', () => {
    expect(cost('{multipartUpload(fileId:"x",uploadId:"y"){parts{size}}}')).toBe(1 + 1 + 10_000);
    expect(cost('{emailIdentities{address}}', schemaWith(server, 'emailIdentities'))).toBe(1 + 1_000);
    expect(cost('{file(ID:"x"){attributes{name value}}}')).toBe(1 + 1 + 10 * 2);
  });

  it('measure fragments that spread each other without growing exponentially', () => {
    const chain = (length: number) =>
      `{...f0} ${times(length, (i) => `fragment f${i} on Query{...f${i + 1} ...f${i + 1}}`)} fragment f${length} on Query{a:version}`;
    const look = () => {
      expect(refusals(chain(90))).toHaveLength(2);
      expect(refusals(chain(500))).toEqual([expect.stringMatching(/^The document has more than 10000 fields/)]);
    };
    expect(workedMs(look)).toBeLessThan(2_000);
  });

  it('survive fragments in a circle', () => {
    expect(refusals('{...a} fragment a on Query{...b} fragment b on Query{...a}')).toEqual([]);
  });
});

function allFields(schema: GraphQLSchema): [string, GraphQLField<unknown, unknown>][] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
  return types.flatMap((type) =>
    isObjectType(type) ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as never) : [],
  );
}

/** Every field of a type, and of the types below it. */
function selectionOf(type: unknown): string {
  if (!isObjectType(type)) return '';
  return `{${Object.values(type.getFields())
    .map((field) => field.name + selectionOf(getNamedType(field.type)))
    .join(' ')}}`;
}
