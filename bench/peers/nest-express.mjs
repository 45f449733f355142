// Peer of the bench graphql: a plain Nest + Apollo + Express program that reads rows with Prisma.
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { ApolloDriver } from '@nestjs/apollo';
import { NestFactory } from '@nestjs/core';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import { filesModule } from './nest-files.mjs';

const { PORT, DATABASE_URL } = process.env;
const isSqlite = DATABASE_URL.startsWith('file:');
const { PrismaClient } = await import(`../../dist/generated/${isSqlite ? 'sqlite' : 'postgresql'}/client.js`);
const adapter = isSqlite
  ? new PrismaBetterSqlite3({ url: DATABASE_URL }, { timestampFormat: 'unixepoch-ms' })
  : new PrismaPg({ connectionString: DATABASE_URL });
const prisma = new PrismaClient({ adapter });

const rows = {
  key: (hash) => prisma.apiKey.findUnique({ where: { hash } }),
  file: (tenantId, id) => prisma.file.findUnique({ where: { tenantId_id: { tenantId, id } } }),
  files: (tenantId, limit) => prisma.file.findMany({ where: { tenantId }, orderBy: { id: 'desc' }, take: limit }),
};

const pragmas = isSqlite ? ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -65536'] : [];
for (const pragma of pragmas) await prisma.$queryRawUnsafe(`PRAGMA ${pragma}`);
// Off as in our server: it costs time per field, which would not be the fault of Express.
const options = { plugins: [ApolloServerPluginCacheControlDisabled()] };
const app = await NestFactory.create(filesModule(rows, ApolloDriver, options), { logger: false });
await app.listen(PORT, '127.0.0.1');
