// Peer of the bench graphql: a plain Nest program on Mercurius, with operations compiled at first use, that reads rows of SQLite with
// better-sqlite3 on its event loop. What a Nest user would build for speed.
import { MercuriusDriver } from '@nestjs/mercurius';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import Sqlite from 'better-sqlite3';
import { filesModule } from './nest-files.mjs';

const { PORT, DATABASE_URL } = process.env;
const database = new Sqlite(DATABASE_URL.slice('file:'.length));
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -65536']) database.pragma(pragma);

const key = database.prepare('SELECT * FROM "ApiKey" WHERE hash = ?');
const file = database.prepare('SELECT * FROM "File" WHERE "tenantId" = ? AND id = ?');
const files = database.prepare('SELECT * FROM "File" WHERE "tenantId" = ? ORDER BY id DESC LIMIT ?');

const time = (value) => (value === null ? null : new Date(value));
const typed = (row) =>
  row && {
    ...row,
    public: row.public === 1,
    createdAt: time(row.createdAt),
    updatedAt: time(row.updatedAt),
    expiresAt: time(row.expiresAt),
  };

const rows = {
  key: (hash) => typed(key.get(hash)),
  file: (tenantId, id) => typed(file.get(tenantId, id)),
  files: (tenantId, limit) => files.all(tenantId, limit).map(typed),
};

const app = await NestFactory.create(filesModule(rows, MercuriusDriver, { jit: 1 }), new FastifyAdapter(), { logger: false });
await app.listen(PORT, '127.0.0.1');
