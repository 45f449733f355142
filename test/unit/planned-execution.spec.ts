import { EventEmitter } from 'node:events';
import { memoryPool } from '../../src/common/scheduling/memory-budget.js';
import { OperationBudget } from '../../src/common/scheduling/operation-budget.js';
import { execute, executeByGraphqlJs } from '../support/execution.js';
import { graphql } from '../support/schemas.js';

const MIB = 1024 * 1024;
const schemaText = `
  type Query { thing(id: Int = 1, kind: Kind): Thing sure: Thing! things: [Thing] sureThings: [Thing!]! never: [String!] version: String! }
  type Mutation { add(by: Int!): Int! fail: Int count: Int }
  enum Kind { GOOD BAD }
  type Thing {
    name: String id: ID! number: Int sureNumber: Int! kind: Kind names: [String!] lists: [[Int]] other: Thing sureOther: Thing!
    others: [Thing] sureOthers: [Thing!] late(after: Int, text: String = "x"): String
  }`;

const fails = (message: string) => () => {
  throw new Error(message);
};
const rejects = (message: string) => () => Promise.reject(new Error(message));
const later = (message: string) => async () => {
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error(message);
};
const nested = (depth: number): object =>
  depth === 0 ? thing() : thing({ other: nested(depth - 1), sureOther: nested(depth - 1) });
const thing = (values: object = {}) => ({ name: 'a', id: 1, number: 2, sureNumber: 3, kind: 'GOOD', ...values });

/** Schema whose root fields return what a test gives, in the form of our own resolvers. */
function schemaOf(roots: Record<string, unknown>) {
  const schema = graphql.buildSchema(schemaText);
  let count = 0;
  const resolvers: Record<string, (...args: any[]) => unknown> = {
    add: async (_, { by }) => {
      const before = count;
      await new Promise((resolve) => setImmediate(resolve));
      return (count = before + by);
    },
    fail: rejects('failed'),
    count: () => count,
    version: () => '1',
  };
  for (const type of [schema.getQueryType()!, schema.getMutationType()!]) {
    for (const field of Object.values(type.getFields())) {
      field.resolve = (...args) => {
        const value = field.name in roots ? roots[field.name] : resolvers[field.name]?.(...args);
        return typeof value === 'function' ? value(...args) : value;
      };
    }
  }
  for (const field of Object.values((schema.getType('Thing') as any).getFields()) as any[]) {
    if (field.name !== 'late')
      field.resolve = (source: any) => (typeof source[field.name] === 'function' ? source[field.name]() : source[field.name]);
  }
  (schema.getType('Thing') as any).getFields().late.resolve = async (source: any, args: object, _: unknown, info: any) =>
    JSON.stringify([source.name, args, info.fieldName, info.operation.operation, info.path.key]);
  return schema;
}

async function answered(run: typeof execute, roots: object, text: string, variables?: Record<string, unknown>) {
  const response = Object.assign(new EventEmitter(), { closed: false });
  const budget = new OperationBudget(memoryPool(256 * MIB, 64 * MIB), 'a tenant', response as never);
  const schema = schemaOf(roots as never);
  const document = graphql.parse(text);
  expect(graphql.validate(schema, document)).toEqual([]);
  budget.start();
  const { data, errors } = await run({ schema, document, context: { budget, caller: {} }, variables });
  budget.finish();
  // As text: the order of the fields counts too.
  return JSON.stringify({ data, errors });
}

describe('an operation executed by its plan', () => {
  const page = Array.from({ length: 120 }, (_, id) => thing({ id, other: id % 2 ? thing() : null }));

  it.each<[string, string, object, Record<string, unknown>?]>([
    ['fields, aliases and names of types', '{v:version thing{__typename id n:name kind number}}', { thing: thing() }],
    [
      'fragments that share fields',
      '{thing{...A other{id} ...on Thing{other{number}}}} fragment A on Thing{name other{name ...B}} fragment B on Thing{kind}',
      { thing: thing({ other: thing() }) },
    ],
    [
      'arguments, variables and defaults',
      'query($a:Int,$k:Kind){thing(id:$a,kind:$k){late a:late(after:$a) b:late(after:7,text:"y")}}',
      { thing: (_: unknown, args: object) => thing({ name: JSON.stringify(args) }) },
      { a: 5, k: 'BAD' },
    ],
    [
      'variables that are left out',
      'query($a:Int,$b:Int=9){thing(id:$a){late(after:$b)}}',
      { thing: (_: unknown, args: object) => thing({ name: JSON.stringify(args) }) },
    ],
    [
      'promises at every level',
      '{thing{name names other{name}}}',
      {
        thing: async () => thing({ name: Promise.resolve('b'), names: Promise.resolve(['x']), other: Promise.resolve(thing()) }),
      },
    ],
    [
      'lists with promises and nulls',
      '{things{id} sureThings{id}}',
      { things: [thing(), null, Promise.resolve(thing())], sureThings: new Set([thing()]) },
    ],
    ['lists of lists', '{thing{lists names}}', { thing: thing({ lists: [[1, null], null, []], names: [] }) }],
    ['a long list of objects', '{things{id name other{id}}}', { things: page }],
    ['an error of a field', '{thing{name number} version}', { thing: thing({ name: fails('no name') }) }],
    ['a late error of a field', '{thing{name number} version}', { thing: thing({ name: rejects('no name') }) }],
    ['an error in place of a value', '{thing{name}}', { thing: thing({ name: new Error('no name') }) }],
    [
      'null for a field that must not be null',
      '{thing{name other{sureNumber name}}}',
      { thing: thing({ other: thing({ sureNumber: null }) }) },
    ],
    [
      'an error of a field that must not be null, two levels down',
      '{thing{other{sureOther{sureNumber}} id}}',
      { thing: thing({ other: thing({ sureOther: thing({ sureNumber: rejects('no number') }) }) }) },
    ],
    ['null for a root field that must not be null', '{version sure{id}}', { sure: null }],
    ['a late error of a root field that must not be null', '{version sure{id}}', { sure: rejects('none') }],
    ['an element that must not be null', '{sureThings{id} version}', { sureThings: [thing(), null] }],
    [
      'an element that must not be null in a field that may be',
      '{thing{sureOthers{id} names}}',
      { thing: thing({ sureOthers: [thing(), null], names: ['x', null] }) },
    ],
    [
      'errors of elements',
      '{things{id name}}',
      {
        things: () => [thing(), rejects('lost')(), new Error('broken'), thing({ name: fails('no') })],
      },
    ],
    [
      'errors deep in a long list',
      '{things{id sureNumber}}',
      { things: page.map((each, index) => (index % 40 === 39 ? { ...each, sureNumber: null } : each)) },
    ],
    ['a list that is none', '{things{id} never}', { things: 7, never: 'text' }],
    [
      'values that no leaf can be',
      '{thing{number kind name id}}',
      { thing: thing({ number: 'many', kind: 'UGLY', name: {}, id: 1.5 }) },
    ],
    ['mutations one after the other', 'mutation{a:add(by:1) b:add(by:2) fail c:add(by:3) count}', {}],
    ['an error of a mutation that must not be null', 'mutation{add(by:1) count}', { add: rejects('full') }],
    [
      'an operation with @skip and @include',
      '{version @include(if:false) ...@skip(if:false){version thing @include(if:true){id name @skip(if:true)}}}',
      { thing: thing() },
    ],
    ...[true, false].map((a): [string, string, object, Record<string, unknown>] => [
      `conditions that are variables, ${a}`,
      'query($a:Boolean! $b:Boolean=true){version @skip(if:$a) thing{id @include(if:$b) ...A @include(if:$a) ...A @skip(if:$a)}} fragment A on Thing{name kind @skip(if:$b)}',
      { thing: thing() },
      { a },
    ]),
    [
      'a condition without a value',
      'query($b:Boolean=true){version thing{id name @include(if:$b)}}',
      { thing: thing() },
      { b: null },
    ],
    ['a condition of a root field without a value', 'query($b:Boolean=true){version @include(if:$b)}', {}, { b: null }],
    ['the introspection query', graphql.getIntrospectionQuery(), {}],
    [
      'parts of the introspection system',
      '{__type(name:"Thing"){name fields{name args{name defaultValue} type{kind ofType{name}}}} a:__type(name:"Kind"){enumValues{name}} n:__type(name:"None"){name} __typename version}',
      {},
    ],
    ['aliases with the name of the prototype', '{__proto__:version thing{__proto__:name constructor:id}}', { thing: thing() }],
    [
      'fragments that make it far larger than its document',
      `{thing{...A}} ${'ABCDEF'.replaceAll(/./g, (c, at: number) => `fragment ${c} on Thing{${at < 5 ? `other{...${'BCDEF'[at]}} sureOther{...${'BCDEF'[at]}}` : 'id name number'}} `)}`,
      { thing: nested(5) },
    ],
    [
      'a late error below a value that is null by then',
      '{thing{other{sureNumber name sureOther{name}}} things{id}}',
      {
        thing: thing({
          other: thing({ sureNumber: rejects('now'), name: later('then'), sureOther: thing({ name: later('then') }) }),
        }),
        // Keeps the operation going until those errors are there.
        things: async () => {
          for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
          return [];
        },
      },
    ],
    ['variables that are refused', 'query($a:Int!,$k:Kind){thing(id:$a,kind:$k){id}}', {}, { a: 'x', k: 'NONE' }],
    [
      'a fragment that is spread again, with a condition that has no value',
      'query($a:Boolean=false){thing{...A ...A@include(if:$a)}} fragment A on Thing{id}',
      { thing: thing() },
      { a: null },
    ],
    ['an argument whose variable has no value', 'query($by:Int!){thing(id:$by){id}}', { thing: thing() }, { by: 3 }],
  ])('has the answer of graphql-js: %s', async (...[, text, roots, variables]) => {
    expect(await answered(execute, roots, text, variables)).toBe(await answered(executeByGraphqlJs, roots, text, variables));
  });

  it('fails as a whole, without an unhandled failure, when an element of a long list must not be null', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const broken = page.map((each, index) => ({ ...each, sureNumber: index === 3 ? rejects('late') : index === 90 ? null : 1 }));
    const answer = JSON.parse(await answered(execute, { sureThings: broken }, '{sureThings{sureNumber}}'));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(answer.data).toBeNull();
    expect(answer.errors).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  it.each([
    ['8 at a time where they are cheap', { cost: 100, most: 8 }],
    ['as many at a time as cost 1,000 together', { cost: 6_000, most: 3 }],
    ['one after the other where each costs more than 1,000', { cost: 100_000, most: 1 }],
  ])('resolves the root fields of a query %s', async (_, { cost, most }) => {
    let underWay = 0;
    let seen = 0;
    const sure = async () => {
      seen = Math.max(seen, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return thing();
    };
    const text = `{${Array.from({ length: 20 }, (__, index) => `a${index}: sure{id}`).join(' ')}}`;
    const { data } = JSON.parse(
      await answered((request) => execute({ ...request, context: { ...request.context, cost } }), { sure }, text),
    );
    expect(Object.keys(data)).toHaveLength(20);
    expect(seen).toBe(most);
  });
});
