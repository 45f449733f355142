// Peer of the bench graphql: PostGraphile 5 on our own database, without keys, tenants, signed URLs, limits and metrics. Loaded from
// the folder BENCH_POSTGRAPHILE, prepared by `npm install postgraphile@5 node@22`: it has 185 packages with 300 MB, most of them for
// its console, and needs a newer Node than ours.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { PORT, DATABASE_URL, BENCH_POSTGRAPHILE } = process.env;
process.env.GRAPHILE_ENV = 'production';
const load = createRequire(join(BENCH_POSTGRAPHILE, 'package.json'));
const { postgraphile } = load('postgraphile');
const { PostGraphileAmberPreset } = load('postgraphile/presets/amber');
const { makePgService } = load('postgraphile/adaptors/pg');
const { grafserv } = load('postgraphile/grafserv/node');

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'] })],
  grafserv: { graphqlPath: '/file-management/graphql', graphiql: false, watch: false },
});
const server = createServer();
server.on('error', (error) => {
  throw error;
});
await instance.createServ(grafserv).addTo(server);
server.listen(Number(PORT), '127.0.0.1');
