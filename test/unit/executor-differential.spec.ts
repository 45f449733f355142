import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import type {
  DefinitionNode,
  DocumentNode,
  ExecutionResult,
  FragmentDefinitionNode,
  GraphQLSchema,
  GraphQLScalarType,
  SelectionSetNode,
} from 'graphql';
import { printedSchema } from '../../scripts/schemas.mjs';
import { SERVICES } from '../../src/common/auth/scopes.js';
import { memoryPool } from '../../src/common/scheduling/memory-budget.js';
import { OperationBudget } from '../../src/common/scheduling/operation-budget.js';
import { DateTime } from '../../src/common/graphql/types/date-time.scalar.js';
import { MAX_ROOTS_AT_ONCE } from '../../src/common/graphql/execution/planned-execution.js';
import { execute, executeByGraphqlJs } from '../support/execution.js';
import { Choices, LateValues, randomOperation, randomValue } from '../support/random-operations.js';
import { graphql } from '../support/schemas.js';

const MIB = 1024 * 1024;
const RUNS = 300;

interface Values {
  late: LateValues;
  seed: number;
}
type Source = Values & { of: string };

/** A schema of ours. Each field resolves to what its place and the seed of a run say; each third as a property of its object does. */
function schemaOf(service: (typeof SERVICES)[number]): GraphQLSchema {
  const schema = graphql.buildSchema(printedSchema(service));
  const { parseValue, parseLiteral, serialize } = DateTime;
  Object.assign(schema.getType('DateTime') as GraphQLScalarType, { parseValue, parseLiteral, serialize });
  const roots = [schema.getQueryType(), schema.getMutationType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!graphql.isObjectType(type) || type.name.startsWith('__')) continue;
    for (const [index, field] of Object.values(type.getFields()).entries()) {
      const value = (place: string, values: Values) => randomValue(field.type, place, values);
      field.resolve =
        index % 3 === 0 && field.args.length === 0 && !roots.includes(type)
          ? (source: Source) => value(`${source.of}.${field.name}`, source)
          : (source: Source | undefined, args, values: Values, info) =>
              value(`${source?.of ?? ''}.${info.path.key} ${JSON.stringify(args)} ${info.fieldNodes.length}`, values);
    }
  }
  return schema;
}

async function answerOf(run: typeof execute, schema: GraphQLSchema, document: DocumentNode, variables: object, seed: number) {
  const response = Object.assign(new EventEmitter(), { closed: false });
  const budget = new OperationBudget(memoryPool(256 * MIB, 64 * MIB), 'a tenant', response as never);
  budget.start();
  const context = { budget, caller: {}, seed, late: new LateValues() };
  const result = await run({ schema, document, context, variables: variables as Record<string, unknown> });
  budget.finish();
  const areAllAtOnce = rootKeysOf(document, graphql.getOperationAST(document)!.selectionSet).size <= MAX_ROOTS_AT_ONCE;
  return JSON.stringify(areAllAtOnce ? result : inAnyOrder(result)); // as text: the order of fields and errors counts too
}

/** Keys that the answer may have. */
function rootKeysOf(document: DocumentNode, { selections }: SelectionSetNode, keys = new Set<string>()): Set<string> {
  for (const node of selections) {
    if (node.kind === graphql.Kind.FIELD) keys.add((node.alias ?? node.name).value);
    else if (node.kind === graphql.Kind.INLINE_FRAGMENT) rootKeysOf(document, node.selectionSet, keys);
    else {
      const isSpread = (one: DefinitionNode) =>
        one.kind === graphql.Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value;
      rootKeysOf(document, (document.definitions.find(isSpread) as FragmentDefinitionNode).selectionSet, keys);
    }
  }
  return keys;
}

/** Errors of root fields that wait for others come later, and which come at all depends on the first that leaves no answer. */
function inAnyOrder({ data, errors }: ExecutionResult): object {
  return { data, errors: data && errors?.map((error) => JSON.stringify(error)).sort() };
}

describe.each(SERVICES.map((service) => [service, schemaOf(service)] as const))('%s', (_, schema) => {
  it('answers random operations as graphql-js does, byte for byte, new and repeated', async () => {
    let executed = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const choices = new Choices(seed);
        const { text, variables } = randomOperation(schema, choices);
        const document = graphql.parse(text);
        if (graphql.validate(schema, document).length > 0) return;
        executed++;
        for (const others of [variables, variables, {}]) {
          const expected = await answerOf(executeByGraphqlJs, schema, document, others, seed);
          expect(`${text}\n${await answerOf(execute, schema, document, others, seed)}`).toBe(`${text}\n${expected}`);
        }
      }),
      { numRuns: RUNS },
    );
    expect(executed).toBeGreaterThan(RUNS / 3);
  });
});
