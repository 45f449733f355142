import { hasPostgresPrograms, PostgresServer } from '../nodes/postgres-server.mjs';
import { needing } from './needs.js';
import type { Certificate } from './certificates.js';

/** Requires the programs of PostgreSQL, as Debian installs them. */
export const describeWithOwnPostgres = needing({ name: 'the programs of PostgreSQL', isMet: hasPostgresPrograms }).describe;

/** Starts a PostgreSQL of its own that accepts TLS only. */
export function startSecurePostgres({ key, cert }: Certificate): Promise<PostgresServer> {
  const files = { 'pg_hba.conf': 'hostssl all all 127.0.0.1/32 trust\n', 'server.crt': cert, 'server.key': key };
  return PostgresServer.start({ lines: ['ssl = on'], files });
}
