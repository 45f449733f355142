// npm run schema: prints the six served schemas into schema/. The architecture test compares both.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

const FOLDER = join(root, 'schema');

/** Endpoints with a printed schema, as declared in src/common/auth/scopes.ts. */
export const ENDPOINTS = readdirSync(FOLDER).map((file) => basename(file, '.graphql'));
/** Endpoints for tenants. */
export const SERVICES = ENDPOINTS.filter((endpoint) => endpoint !== 'admin');

const fileOf = (service) => join(FOLDER, `${service}.graphql`);

/** Returns the last printed schema of a service. */
export const printedSchema = (service) => readFileSync(fileOf(service), 'utf8');

/** Returns the schema of a service, as served to a caller with a key. */
export async function servedSchema(address, service, key) {
  const { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } = await import('graphql');
  const query = getIntrospectionQuery({ inputValueDeprecation: true });
  const response = await fetch(`${address}/${service}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${service}: ${JSON.stringify(errors)}`);
  return `${printSchema(lexicographicSortSchema(buildClientSchema(data)))}\n`;
}

async function print() {
  await prepare();
  const { createApp } = await import('../dist/app.js');
  const { Config } = await import('../dist/common/config/config.js');
  const { createLogger } = await import('../dist/common/logging/logger.js');
  const { ApiKeysService } = await import('../dist/common/auth/api-keys.service.js');
  const { SERVICES: declared } = await import('../dist/common/auth/scopes.js');
  const folder = mkdtempSync(join(tmpdir(), 'schema-'));
  const app = await createApp(Config.read({ DATA_DIR: folder, PORT: '0' }), createLogger({ logLevel: 'warn' }));
  await app.listen(0, '127.0.0.1');
  const keys = app.get(ApiKeysService);
  const key = await keys.createFirst();
  const address = `http://127.0.0.1:${app.getHttpServer().address().port}`;
  for (const service of declared) {
    writeFileSync(fileOf(service), await servedSchema(address, service, key));
  }
  const adminKey = await keys.create({ tenant: 'platform-admin', scope: 'admin-api:query:*' });
  writeFileSync(fileOf('admin'), await servedSchema(address, 'admin', adminKey));
  await app.close();
  rmSync(folder, { recursive: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await print();
