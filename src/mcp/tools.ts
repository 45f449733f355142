import { Injectable } from '@nestjs/common';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import type { Caller } from '../common/auth/caller.js';
import { missingEntry, type OperationKind, type Service, SERVICES } from '../common/auth/scopes.js';
import { documentOf } from '../common/graphql/documents/selection.js';
import { Operations } from '../common/graphql/operations.js';
import { canCall, isBound } from '../common/tokens/token-bounds.js';
import { effectsOf, type ToolEffects } from './tool-effects.js';
import { inputSchemaOf, type ObjectSchema } from './tool-inputs.js';

/** Tool as a client of MCP sees it. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  annotations: ToolEffects;
}

/** Operation of a service as a tool. */
export interface Tool {
  service: Service;
  kind: OperationKind;
  /** Root field of the operation. */
  field: GraphQLField<unknown, unknown>;
  /** Document that selects the fields of an answer by default. */
  document: string;
  definition: ToolDefinition;
  argumentNames: ReadonlySet<string>;
}

/** First parts of tool names: the names of the services in the clients. */
const PREFIXES: Record<(typeof SERVICES)[number], string> = {
  'file-management': 'files',
  'document-rendering': 'rendering',
  'websockets-manager': 'push',
  'document-log': 'log',
  email: 'email',
};

/** Operations that are no tools: a client learns the version when it connects. */
const LEFT_OUT = new Set(['version']);

/** Operations that only a key can run. */
const OF_TOKENS = new Set(['createAccessToken', 'denyAccess']);

/** Tools for all operations of the services, from their schemas. Built at first use, so that other servers hold none. */
@Injectable()
export class Tools {
  private known?: ReadonlyMap<string, Tool>;

  constructor(private readonly operations: Operations) {}

  find(name: string): Tool | undefined {
    return this.all.get(name);
  }

  /** Returns the tools that a caller can use: those that its scope and the bounds of its token allow. */
  allowed({ scope, token }: Pick<Caller, 'scope' | 'token'>): ToolDefinition[] {
    const tools = [...this.all.values()].filter(
      ({ service, kind, field, definition }) =>
        !missingEntry(scope, service, kind, field.name) &&
        !(token && OF_TOKENS.has(field.name)) &&
        !(token && isBound(token) && (this.isInAll(kind, field.name) || !canCall(token, service, namesIn(definition)))),
    );
    return tools.map(({ definition }) => definition);
  }

  /** Returns whether every service has an operation. Its ids are those of webhooks. */
  private isInAll(kind: OperationKind, name: string): boolean {
    return SERVICES.every((service) => rootOf(this.operations.schemaOf(service), kind)?.getFields()[name]);
  }

  private get all(): ReadonlyMap<string, Tool> {
    return (this.known ??= toolsOf((service) => this.operations.schemaOf(service)));
  }
}

const rootOf = (schema: GraphQLSchema, kind: OperationKind) =>
  kind === 'query' ? schema.getQueryType() : schema.getMutationType();

/** Returns the names of arguments that bounds of tokens compare. */
function namesIn({ inputSchema: { properties = {} } }: ToolDefinition): ReadonlySet<string> {
  const levels = [properties, properties['input']?.properties ?? {}, properties['filter']?.properties ?? {}];
  return new Set(levels.flatMap(Object.keys));
}

function toolsOf(schemaOf: (service: Service) => GraphQLSchema): Map<string, Tool> {
  const tools = SERVICES.flatMap((service) => {
    const schema = schemaOf(service);
    return (['query', 'mutation'] as const).flatMap((kind) => {
      const fields = Object.values(rootOf(schema, kind)?.getFields() ?? {}).filter(({ name }) => !LEFT_OUT.has(name));
      return fields.map((field) => toolOf(service, kind, field));
    });
  });
  return new Map(tools.map((tool) => [tool.definition.name, tool]));
}

function toolOf(service: (typeof SERVICES)[number], kind: OperationKind, field: GraphQLField<unknown, unknown>): Tool {
  const definition = {
    name: `${PREFIXES[service]}_${field.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    description: field.description ?? '',
    inputSchema: inputSchemaOf(field),
    annotations: effectsOf(kind, field.name),
  };
  const argumentNames = new Set(Object.keys(definition.inputSchema.properties ?? {}));
  return { service, kind, field, document: documentOf({ kind, field }), definition, argumentNames };
}
