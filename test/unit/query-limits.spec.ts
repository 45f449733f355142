import { readFileSync } from 'node:fs';
import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { MAX_ALIASES, MAX_COST, MAX_DEPTH, queryLimits } from '../../src/common/graphql/query-limits.js';

const schema = buildSchema(readFileSync(new URL('../../schema/file-management.graphql', import.meta.url), 'utf8'));
const refusals = (query: string) => validate(schema, parse(query), [queryLimits]).map(({ message }) => message);
const nested = (depth: number) => '{__schema' + '{a'.repeat(depth - 1) + '}'.repeat(depth - 1) + '}';

describe('limits of a GraphQL operation', () => {
  it('let the standard introspection query pass', () => {
    expect(
      refusals(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true })),
    ).toEqual([]);
  });

  it('let the largest page with every field pass', () => {
    const all =
      'id name active comment author{id name email profile} contentType contentLength status error{code message} createdAt updatedAt expiresAt externalReference uploaded public downloadUrl uploadUrl attributes{name value} checksumSha256';
    expect(refusals(`{files(limit:1000){items{${all}} nextToken}}`)).toEqual([]);
    expect(refusals(`query($n:Int){files(limit:$n){items{${all}} nextToken}}`)).toEqual([]);
  });

  it('refuse what nests too deep', () => {
    expect(refusals(nested(MAX_DEPTH))).toEqual([]);
    expect(refusals(nested(MAX_DEPTH + 1))).toEqual([expect.stringContaining(`at most ${MAX_DEPTH}`)]);
  });

  it('refuse too many aliases, also when they come through fragments', () => {
    const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}:version`).join(' ');
    expect(refusals(`{${aliases(MAX_ALIASES)}}`)).toEqual([]);
    expect(refusals(`{${aliases(MAX_ALIASES + 1)}}`)).toEqual([expect.stringContaining('aliases')]);
    expect(refusals(`{...f ...f} fragment f on Query{${aliases(MAX_ALIASES / 2 + 1)}}`)).toEqual([
      expect.stringContaining('aliases'),
    ]);
  });

  it('refuse what could resolve too many fields', () => {
    const pages = Array.from({ length: 30 }, (_, i) => `p${i}:files(limit:1000){items{id name comment status}}`).join(' ');
    expect(refusals(`{${pages}}`)).toEqual([expect.stringContaining(`at most ${MAX_COST}`)]);
  });

  it('count a page without a limit as what it holds then', () => {
    const pages = Array.from({ length: 30 }, (_, i) => `p${i}:files{items{id name comment status}}`).join(' ');
    expect(refusals(`{${pages}}`)).toEqual([]);
    const larger = buildSchema(
      'type Query {files: Result} type Result {items: [File]} type File {id:ID name:ID comment:ID status:ID}',
    );
    larger.getQueryType()!.getFields().files!.extensions = { defaultPage: 1_000 };
    expect(validate(larger, parse(`{${pages}}`), [queryLimits])).toHaveLength(1);
  });

  it('measure fragments that spread each other without growing exponentially', () => {
    const chain = Array.from({ length: 500 }, (_, i) => `fragment f${i} on Query{...f${i + 1} ...f${i + 1}}`).join(' ');
    const startedAt = performance.now();
    expect(refusals(`{...f0} ${chain} fragment f500 on Query{a:version}`)).toHaveLength(2);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('survive fragments in a circle', () => {
    expect(refusals('{...a} fragment a on Query{...b} fragment b on Query{...a}')).toEqual([]);
  });
});
