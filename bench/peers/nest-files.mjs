// Nest program that answers `version`, `file(ID)` and `files` with the same work per request as ours. Its peers differ in driver and
// database client. Schema-first, with our printed schema, so that both sides parse, validate and resolve the same fields.
import 'reflect-metadata';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ForbiddenException, Module, UnauthorizedException } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  Args,
  Context,
  GqlExecutionContext,
  GraphQLISODateTime,
  GraphQLModule,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { LRUCache } from 'lru-cache';

const { PORT, SECRET_KEY } = process.env;
const KEY_TTL_MS = 4_000;
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/**
 * Returns the module of a program with a GraphQL driver and its options.
 * `rows` reads from the database: `key(hash)`, `file(tenantId, id)` and `files(tenantId, limit)`.
 */
export function filesModule(rows, driver, options) {
  const keys = new LRUCache({
    max: 10_000,
    ttl: KEY_TTL_MS,
    fetchMethod: async (hash) => {
      const row = await rows.key(hash);
      if (!row || row.revokedAt || (row.expiresAt && row.expiresAt <= new Date())) return undefined;
      return { tenantId: row.tenantId, scope: new Set(row.scope.split(' ')) };
    },
  });

  class ApiKeyGuard {
    async canActivate(execution) {
      const graphql = GqlExecutionContext.create(execution);
      const { req } = graphql.getContext();
      const header = req.headers['x-api-key'];
      const caller = header && (await keys.fetch(createHash('sha256').update(header).digest('hex')));
      if (!caller) throw new UnauthorizedException();
      const entry = `file-management-api:query:${graphql.getInfo().fieldName}`;
      if (!caller.scope.has('file-management-api:query:*') && !caller.scope.has(entry)) throw new ForbiddenException();
      req.caller = caller;
      return true;
    }
  }

  class FilesResolver {
    version() {
      return version;
    }

    async file({ req }, id) {
      const row = await rows.file(req.caller.tenantId, id);
      return row && toFile(row);
    }

    async files({ req }, limit) {
      return { items: (await rows.files(req.caller.tenantId, limit)).map(toFile), nextToken: null };
    }

    downloadUrl(file, expiresIn) {
      return file.uploaded ? signedUrl('GET', file.id, expiresIn ?? 3_600) : null;
    }

    uploadUrl(file, expiresIn) {
      return file.status === 'expired' ? null : signedUrl('PUT', file.id, expiresIn ?? 30);
    }
  }

  // The compiled form of `@Query() file(@Context() context, @Args('ID') id)`, written out because this file is not compiled.
  function decorate(method, decorator, ...parameters) {
    const { prototype } = FilesResolver;
    parameters.forEach((parameter, index) => parameter(prototype, method, index));
    decorator(prototype, method, Object.getOwnPropertyDescriptor(prototype, method));
  }
  Resolver('File')(FilesResolver);
  decorate('version', Query());
  decorate('file', Query(), Context(), Args('ID'));
  decorate('files', Query(), Context(), Args('limit'));
  decorate('downloadUrl', ResolveField(), Parent(), Args('expiresIn'));
  decorate('uploadUrl', ResolveField(), Parent(), Args('expiresIn'));

  class AppModule {}
  Module({
    imports: [
      GraphQLModule.forRoot({
        driver,
        path: '/file-management/graphql',
        typeDefs: readFileSync(new URL('../../schema/file-management.graphql', import.meta.url), 'utf8'),
        resolvers: { DateTime: GraphQLISODateTime },
        ...options,
      }),
    ],
    providers: [FilesResolver, { provide: APP_GUARD, useClass: ApiKeyGuard }],
  })(AppModule);
  return AppModule;
}

function toFile(row) {
  const expired = row.expiresAt !== null && row.expiresAt <= new Date();
  const uploaded = !expired && row.blobKey !== null;
  return {
    ...row,
    author: row.author && JSON.parse(row.author),
    attributes: JSON.parse(row.attributes),
    active: true,
    uploaded,
    status: expired ? 'expired' : row.status,
    contentLength: uploaded ? Number(row.contentLength) : null,
  };
}

function signedUrl(method, id, seconds) {
  const expires = Math.floor(Date.now() / 1000) + seconds;
  const signature = createHmac('sha256', SECRET_KEY).update(`${method}:${id}:${expires}`).digest('base64url');
  return `http://localhost:${PORT}/file-management/files/${id}?expires=${expires}&signature=${signature}`;
}
