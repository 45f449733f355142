// For the official Prisma commands only; the service reads its own configuration.
const url = process.env.DATABASE_URL ?? 'file:./data/platform-services.db';
const provider = /^postgres(ql)?:/.test(url) ? 'postgresql' : 'sqlite';

export default {
  schema: `prisma/${provider}`,
  migrations: { path: `prisma/${provider}/migrations` },
  datasource: { url },
};
