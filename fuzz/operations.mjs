// GraphQL operations generated from the schemas: any fields, any arguments, right and wrong.
import fc from 'fast-check';
import { getNamedType, isCompositeType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { anyText, scalar, wrongType } from './values.mjs';

const MAX_LIST = 3;
const MAX_DEPTH = 5;

/** Draws one operation of a schema; `g` is fast-check's generator, so that a failure can be shrunk. */
export function operation(g, schema) {
  const kind = pick(g, ['query', 'mutation']);
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(root.getFields());
  const variables = {};
  const declared = [];
  const build = { g, variables, declared };
  const count = g(fc.integer, { min: 1, max: 3 });
  const selected = Array.from({ length: count }, (_, index) => `f${index}: ${selection(build, pick(g, fields), 1)}`);
  const head = declared.length > 0 ? `(${declared.join(', ')})` : '';
  return g(() => mangled({ query: `${kind} Fuzz${head} { ${selected.join(' ')} }`, variables, operationName: 'Fuzz' }));
}

function selection(build, field, depth) {
  const args = field.args.flatMap((argument) => argumentOf(build, argument));
  const text = args.length > 0 ? `${field.name}(${args.join(', ')})` : field.name;
  const type = getNamedType(field.type);
  return isCompositeType(type) ? `${text} { ${selections(build, type, depth)} }` : text;
}

function selections(build, type, depth) {
  const { g } = build;
  const fields = Object.values(type.getFields()).filter(
    (field) => depth < MAX_DEPTH || !isCompositeType(getNamedType(field.type)),
  );
  const wanted = g(fc.uniqueArray, fc.nat({ max: fields.length - 1 }), { maxLength: Math.min(8, fields.length) });
  const inner = wanted.map((at, index) => `${g(fc.boolean) ? '' : `a${index}: `}${selection(build, fields[at], depth + 1)}`);
  const text = ['__typename', ...inner].join(' ');
  return g(fc.nat, { max: 9 }) === 0 ? `... on ${type.name} { ${text} }` : text;
}

function argumentOf({ g, variables, declared }, { name, type }) {
  if (!isNonNullType(type) && g(fc.boolean)) return [];
  const variable = `v${declared.length}`;
  declared.push(`$${variable}: ${type}`);
  variables[variable] = value(g, type, name, 0);
  return [`${name}: $${variable}`];
}

function value(g, type, name, depth) {
  if (g(fc.nat, { max: 24 }) === 0) return g(() => wrongType);
  if (isNonNullType(type)) return value(g, type.ofType, name, depth);
  if (isListType(type)) {
    return Array.from({ length: g(fc.nat, { max: MAX_LIST }) }, () => value(g, type.ofType, name, depth));
  }
  if (isEnumType(type)) return pick(g, type.getValues()).name;
  if (!isInputObjectType(type)) return g(scalar, type.name, name);
  const given = {};
  for (const field of Object.values(type.getFields())) {
    const needed = isNonNullType(field.type);
    if (needed ? g(fc.nat, { max: 30 }) === 0 : depth > 3 || g(fc.boolean)) continue;
    given[field.name] = value(g, field.type, field.name, depth + 1);
  }
  return given;
}

/** Chooses by position: fast-check walks through everything it may choose from, and types refer to each other. */
function pick(g, list) {
  return list[g(fc.nat, { max: list.length - 1 })];
}

/** Leaves most operations intact, and damages some in the document, the variables or the envelope. */
function mangled(request) {
  const { query, variables } = request;
  const damaged = fc
    .tuple(fc.nat({ max: query.length }), anyText)
    .map(([at, text]) => query.slice(0, at) + text + query.slice(at + 1));
  const deep = fc.integer({ min: 1, max: 4_000 }).map((depth) => '{a'.repeat(depth) + '}'.repeat(depth));
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(request) },
    { weight: 2, arbitrary: damaged.map((text) => ({ ...request, query: text })) },
    { weight: 1, arbitrary: deep.map((text) => ({ query: text })) },
    { weight: 1, arbitrary: fc.jsonValue().map((other) => ({ query, variables: other })) },
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.jsonValue().map((extensions) => ({ query, variables, extensions })) },
    { weight: 1, arbitrary: anyText.map((operationName) => ({ query, variables, operationName })) },
    { weight: 1, arbitrary: fc.constant({ query: query.replace(/^\w+/, 'subscription'), variables }) },
  );
}
