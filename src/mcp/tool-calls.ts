import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import { MIB } from '../common/base/amounts.js';
import { AppError, badInput, orRefusal, quoted } from '../common/base/app-error.js';
import { answeredBytesOf } from '../common/graphql/answers/answer-writer.js';
import { documentOf } from '../common/graphql/documents/selection.js';
import { Operations } from '../common/graphql/operations.js';
import { FIELDS } from './tool-inputs.js';
import type { Tool } from './tools.js';

/** Request that a message of MCP arrived with. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Result of a tool: JSON, or the errors that its operation had. */
export interface ToolResult {
  content: [{ type: 'text'; text: string }];
  isError?: true;
}

/** Maximum size of a result in JSON. No model can read more at once. */
const MAX_RESULT_BYTES = MIB;

const TOO_LARGE = {
  message:
    'The operation has run, but its answer is larger than 1 MiB; ask for smaller pages, or send the operation to the GraphQL API',
  extensions: { code: 'PAYLOAD_TOO_LARGE' },
};

/** Runs tools as operations of their services. */
@Injectable()
export class ToolCalls {
  constructor(private readonly operations: Operations) {}

  /** Runs a tool. Refusals, including that of the key's scope, are results, so that the model can read and correct them. */
  async run(tool: Tool, given: Record<string, unknown>, exchange: Exchange): Promise<ToolResult> {
    const query = await orRefusal(() => queryOf(tool, given));
    if (query instanceof AppError)
      return failed([{ message: query.message, extensions: { code: query.code, field: query.field } }]);
    const { headers, body } = await this.operations.run(tool.service, exchange, { query, variables: given });
    void exchange.reply.headers(headers);
    return resultOf(tool.field.name, body);
  }
}

/** Returns the document of a call. @throws BAD_USER_INPUT for an argument that the engine would ignore, or an unknown field */
function queryOf(tool: Tool, given: Record<string, unknown>): string {
  const names = Object.keys(tool.definition.inputSchema.properties ?? {});
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw badInput(
      quoted(unknown),
      `unknown argument; the arguments of ${tool.definition.name} are ${names.join(', ') || 'none'}`,
    );
  }
  const { [FIELDS]: fields } = given;
  if (fields === undefined) return tool.document;
  const isList = Array.isArray(fields) && fields.every((path) => typeof path === 'string');
  if (!isList) throw badInput(FIELDS, 'must be a list of paths, such as ["id"]');
  return documentOf(tool, fields.join(','));
}

function resultOf(operation: string, { data, errors }: FormattedExecutionResult): ToolResult {
  if (errors?.length) return failed(errors);
  if (answeredBytesOf(data!) > MAX_RESULT_BYTES) return failed([TOO_LARGE]);
  const text = JSON.stringify(data![operation]);
  return Buffer.byteLength(text) > MAX_RESULT_BYTES ? failed([TOO_LARGE]) : { content: [{ type: 'text', text }] };
}

function failed(errors: readonly GraphQLFormattedError[]): ToolResult {
  const plain = errors.map(({ message, extensions }) => ({ code: extensions?.code, field: extensions?.field, message }));
  return { content: [{ type: 'text', text: JSON.stringify({ errors: plain }) }], isError: true };
}
