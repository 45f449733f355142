import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getNamedType, isInputObjectType } from 'graphql';
import { missingEntry } from '../common/auth/scopes.js';
import { AppError } from '../common/base/app-error.js';
import { askForBody } from '../common/http/bodies/request-body.js';
import { FileContentService } from '../modules/file-management/transfer/file-content.service.js';
import { StoredFilesService } from '../modules/file-management/files/stored-files.service.js';
import { type Answered, OperationRunner } from './operation-runner.js';
import { type Parameter, queryParameters } from './parameters.js';
import { readQuery } from './request-variables.js';
import { RestOperations, type RestOperation } from './rest-operations.js';

/** Types that tools send unasked, for forms. */
const FORMS = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;
const ANY_TYPE = 'application/octet-stream';

/** Creates a file from the content in the body of one request. Its fields are query parameters. */
@Injectable()
export class ContentUpload {
  constructor(
    private readonly runner: OperationRunner,
    private readonly operations: RestOperations,
    private readonly contents: FileContentService,
    private readonly files: StoredFilesService,
  ) {}

  /**
   * Stores the content and returns the file. A file whose content is refused or incomplete is removed again.
   * @throws the errors of `createFile`, of a PUT to its `uploadUrl`, and of `file`
   */
  async receive(create: RestOperation, request: FastifyRequest, reply: FastifyReply): Promise<Answered> {
    const { headers, raw } = request;
    const type = headers['content-type'];
    checkRequest(request);
    const { variables, fields } = readQuery(contentParameters(create), request, {});
    const input = (variables.input ?? {}) as Record<string, unknown>;
    if (type !== undefined && type !== ANY_TYPE && !input.accept) input.contentType ??= type;
    const exchange = { request, reply };
    const { value } = await this.runner.run(create, { variables: { input }, fields: 'id,uploadUrl' }, exchange);
    const { id, uploadUrl } = value as { id: string; uploadUrl: string };
    try {
      await this.contents.upload({
        id,
        url: Object.fromEntries(new URL(uploadUrl).searchParams),
        headers: {
          contentLength: headers['content-length'],
          contentEncoding: headers['content-encoding'],
          contentRange: headers['content-range'],
          contentType: input.accept ? type : undefined,
          contentDisposition: headers['content-disposition'],
          conditions: {},
        },
        content: raw,
        ask: () => askForBody(raw, reply.raw),
      });
    } catch (error) {
      await this.files.remove(request.caller!, id);
      throw error;
    }
    return this.runner.run(this.operations.withId('file'), { variables: { ID: id }, fields }, exchange);
  }
}

/** Returns the query parameters of an upload: fields of the input, and `fields`. */
export function contentParameters({ field, parameters }: RestOperation): Parameter[] {
  const input = getNamedType(field.args.find(({ name }) => name === 'input')!.type);
  const fields = isInputObjectType(input) ? Object.values(input.getFields()) : [];
  return [...queryParameters(fields, ['input']), ...parameters];
}

function checkRequest({ headers, caller }: FastifyRequest): void {
  const type = headers['content-type'] ?? '';
  if (FORMS.test(type)) {
    const advice = 'send fields as application/json, or the content of a file with its own type or application/octet-stream';
    throw new AppError('BAD_REQUEST', `The Content-Type must not be that of a form; ${advice}`, { status: 415 });
  }
  const missing = missingEntry(caller!.scope, 'file-management', 'query', 'file');
  if (missing)
    throw new AppError('FORBIDDEN', `The key's scope lacks the entry ${missing}, which an upload in one request needs`);
}
