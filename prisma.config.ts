// Settings for the official Prisma commands only; the service reads its own configuration.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const url = process.env.DATABASE_URL ?? 'file:./data/platform-services.db';
const provider = /^postgres(ql)?:/.test(url) ? 'postgresql' : 'sqlite';
const [command = ''] = process.argv.slice(2);

// Only these commands use the schema engine. The others would download it first; any executable satisfies them.
if (!['migrate', 'db'].includes(command)) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

/** Prisma Studio accepts a file as a complete URL only. */
const studioUrl = provider === 'sqlite' ? pathToFileURL(resolve(url.slice('file:'.length))).href : url;

export default {
  schema: `prisma/${provider}`,
  migrations: { path: `prisma/${provider}/migrations` },
  datasource: { url: command === 'studio' ? studioUrl : url },
};
