import { variableReader } from '../../src/common/graphql/execution/variable-reader.js';
import { graphql } from '../support/schemas.js';

const schema = graphql.buildSchema(`
  type Query { ask(input: Input, list: [Int!], kind: Kind, id: ID, text: String, flag: Boolean, number: Float): Int }
  enum Kind { GOOD BAD }
  input Input { name: String! kind: Kind = GOOD list: [[Int]] more: Input others: [Input!] id: ID count: Int = 3 number: Float flag: Boolean! = true }
`);
const operationOf = (variables: string) => graphql.getOperationAST(graphql.parse(`query(${variables}){ask}`))!;

/** Values as they come out of JSON, right ones and others. */
const RIGHT: [string, unknown][] = [
  ['$v:Int', {}],
  ['$v:Int', { v: null }],
  ['$v:Int', { v: 3, other: 'x' }],
  ['$v:Int=7', {}],
  ['$v:Int!=7', {}],
  ['$v:Int=7', { v: null }],
  ['$v:[Int!]!', { v: [1, 2] }],
  ['$v:[[Int]]', { v: [[1, null], null, []] }],
  ['$v:[Int]', { v: 1 }],
  ['$v:[[Int]]', { v: 1 }],
  ['$v:[[Int]]', { v: [1, null, [2]] }],
  ['$v:[Int]', { v: null }],
  ['$v:Input', { v: { name: 'a', others: { name: 'b' } } }],
  ['$v:Kind $w:Float $x:ID $y:Boolean $z:String', { v: 'BAD', w: 1, x: 5, y: false, z: '' }],
  ['$v:Input', { v: { name: 'a' } }],
  [
    '$v:Input!',
    { v: { flag: false, name: 'a', list: [[1], null], more: { name: 'b', others: [] }, others: [{ name: 'c', id: 'x' }] } },
  ],
  ['$v:Input!', { v: { name: 'a', kind: null, count: null, more: null } }],
  ['$v:Input={name:"d"}', {}],
];
const OTHERS: [string, unknown][] = [
  ['$v:Int!', {}],
  ['$v:Int!', { v: null }],
  ['$v:Int!=7', { v: null }],
  ['$v:Int', { v: '3' }],
  ['$v:Int', { v: 1.5 }],
  ['$v:Int', { v: 2 ** 31 }],
  ['$v:Int', { v: [3] }],
  ['$v:[Int!]', { v: [1, null] }],
  ['$v:Kind', { v: 'UGLY' }],
  ['$v:String', { v: 5 }],
  ['$v:String', { v: {} }],
  ['$v:Input', { v: {} }],
  ['$v:Input', { v: { name: null } }],
  ['$v:Input', { v: { name: 'a', unknown: 1 } }],
  ['$v:Input', { v: JSON.parse('{"name":"a","__proto__":{"count":1}}') }],
  ['$v:Input', { v: { name: 'a', flag: null } }],
  ['$v:Input', { v: [{ name: 'a' }] }],
  ['$v:Input', { v: 'a' }],
  ['$v:Input', { v: { name: 'a', others: [null] } }],
  ['$v:Input', { v: { name: 'a', more: { name: 1 } } }],
];

it.each(RIGHT)('%s reads %j as graphql-js does', (declared, given) => {
  const operation = operationOf(declared);
  const expected = graphql.getVariableValues(schema, operation.variableDefinitions!, given as never).coerced;
  const read = variableReader(schema, operation)(given as never);
  expect(JSON.stringify(read)).toBe(JSON.stringify(expected)); // with the order of the fields
  expect(read).toEqual(expected);
});

it.each(OTHERS)('%s leaves %j to graphql-js', (declared, given) => {
  expect(variableReader(schema, operationOf(declared))(given as never)).toBeUndefined();
});
