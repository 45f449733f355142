import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import { asBytes, MIB } from '../common/base/amounts.js';
import { AppError, badInput, quoted } from '../common/base/app-error.js';
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
    `The operation has run, but its answer is larger than ${asBytes(MAX_RESULT_BYTES)}; ask for smaller pages, or send the operation to ` +
    'the GraphQL API',
  extensions: { code: 'PAYLOAD_TOO_LARGE' },
};

/** Runs tools as operations of their services. */
@Injectable()
export class ToolCalls {
  constructor(private readonly operations: Operations) {}

  /** Runs a tool. Refusals, including that of the key's scope, are results, so that the model can read and correct them. */
  async run(tool: Tool, given: Record<string, unknown>, exchange: Exchange): Promise<ToolResult> {
    const query = queryOf(tool, given);
    if (query instanceof AppError)
      return failed([{ message: query.message, extensions: { code: query.code, field: query.field } }]);
    const { headers, body } = await this.operations.run(tool.service, exchange, { query, variables: given });
    void exchange.reply.headers(headers);
    return resultOf(tool.field.name, body);
  }
}

/** Returns the document of a call, or its refusal. */
function queryOf(tool: Tool, given: Record<string, unknown>): string | AppError {
  try {
    return documentFor(tool, given);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** @throws BAD_USER_INPUT for an argument that the engine would ignore, or an unknown field */
function documentFor(tool: Tool, given: Record<string, unknown>): string {
  for (const name in given) if (!tool.argumentNames.has(name)) throw unknownArgument(tool, name);
  const { [FIELDS]: fields } = given;
  if (fields === undefined) return tool.document;
  const isList = Array.isArray(fields) && fields.every((path) => typeof path === 'string');
  if (!isList) throw badInput(FIELDS, 'must be a list of paths, such as ["id"]');
  return documentOf(tool, fields.length === 0 ? undefined : fields.join(','));
}

function unknownArgument({ definition, argumentNames }: Tool, name: string): AppError {
  const names = [...argumentNames].join(', ') || 'none';
  return badInput(quoted(name), `unknown argument; the arguments of ${definition.name} are ${names}`);
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
