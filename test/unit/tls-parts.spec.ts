import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../src/common/config/config.js';
import { newAuthority, newCertificate } from '../support/certificates.js';
import type { PostgresServer } from '../nodes/postgres-server.mjs';
import { needing, program, SERVICE } from '../support/needs.js';
import { describeWithOwnPostgres, startSecurePostgres } from '../support/postgres.js';
import { OwnRedis } from '../support/redis.js';
import { TestServer } from '../support/server.js';
import { until } from '../support/websockets.js';

const describeWithRedis = needing(SERVICE.redis, program('redis-server')).describe;

const folder = mkdtempSync(join(tmpdir(), 'tls-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content, { mode: 0o644 });
  return file;
}

const authority = newAuthority();
/** By address only, not by the name of this machine. */
const certificate = newCertificate({ issuer: authority, names: ['127.0.0.1'] });
const ours = fileOf('ours.pem', authority.cert);
const another = fileOf('another.pem', newAuthority('Another authority').cert);

/** State of the checks that a server reports once it has started with these settings. */
async function checksWith(settings: Record<string, string>, check: string): Promise<unknown> {
  const server = await TestServer.start(settings);
  try {
    return await until(async () => {
      const { checks } = (await (await fetch(`${server.address}/health/ready`)).json()) as { checks: Record<string, string> };
      return checks[check] === 'ok' && checks[check];
    });
  } finally {
    await server.stop();
  }
}

describeWithOwnPostgres('a PostgreSQL that accepts TLS only, with a certificate of a private CA,', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startSecurePostgres(certificate);
  });
  afterAll(() => postgres.remove());

  const at = (query: string, host = '127.0.0.1') => ({
    DATABASE_URL: `postgresql://test@${host}:${postgres.port}/postgres${query}`,
  });
  const trusting = (file: string) => `?sslmode=verify-full&sslrootcert=${file}`;

  it('serves a node that trusts the CA', async () => {
    expect(await checksWith(at(trusting(ours)), 'database')).toBe('ok');
  });

  it.each([
    [
      'trusts another authority',
      () => at(trusting(another)),
      /was issued by an authority that is not trusted; to trust it, add sslrootcert=FILE/,
    ],
    ['trusts the public authorities only', () => at('?sslmode=verify-full'), /was issued by an authority that is not trusted/],
    ['expects another host name', () => at(trusting(ours), 'localhost'), /is for another host name than the one in DATABASE_URL/],
    ['connects without TLS', () => at(''), /no encryption/],
  ])('stops the start of a node that %s, with the reason', async (_, settings, reason) => {
    const error = await TestServer.start(settings()).catch((refusal: unknown) => refusal);
    expect((error as Error).message).toMatch(/^DATABASE_URL names a database that cannot be opened: /);
    expect((error as Error).message).toMatch(reason);
  });
});

describeWithRedis('a Redis that accepts TLS only, with a certificate of a private CA,', () => {
  let redis: OwnRedis;
  let sentinel: OwnRedis;
  beforeAll(async () => {
    const options = OwnRedis.secure(fileOf('redis.pem', certificate.cert), fileOf('redis.key', certificate.key), ours);
    redis = await OwnRedis.start(...options);
    sentinel = await OwnRedis.watch(redis, ...options);
  });
  afterAll(() => Promise.all([redis.stop(), sentinel.stop()]));

  const direct = () => ({ REDIS_URL: `rediss://127.0.0.1:${redis.port}` });

  it('connects nodes that trust the CA, by its address or by its Sentinel', async () => {
    expect(await checksWith({ ...direct(), REDIS_CA_FILE: ours }, 'bus')).toBe('ok');
    const watched = { REDIS_URL: `sentinels://127.0.0.1:${sentinel.port}/push`, REDIS_CA_FILE: ours };
    expect(await checksWith(watched, 'bus')).toBe('ok');
  });

  it.each([
    [
      'trusts another authority',
      () => ({ ...direct(), REDIS_CA_FILE: another }),
      /the certificate of Redis was issued by an authority that is not trusted; to trust it, name it in REDIS_CA_FILE/,
    ],
    [
      'expects another host name',
      () => ({ REDIS_URL: `rediss://localhost:${redis.port}`, REDIS_CA_FILE: ours }),
      /the certificate of Redis is for another host name than the one in REDIS_URL/,
    ],
    [
      'asks its Sentinel and trusts the public authorities only',
      () => ({ REDIS_URL: `sentinels://127.0.0.1:${sentinel.port}/push` }),
      /the certificate of Redis was issued by an authority that is not trusted/,
    ],
    ['connects without TLS', () => ({ REDIS_URL: `redis://127.0.0.1:${redis.port}` }), /the bus cannot be reached/],
  ])('does not connect a node that %s, which logs the reason', async (_, settings, reason) => {
    const server = await TestServer.start(settings());
    try {
      await until(() => server.logLines.some((line) => line.includes('the bus cannot be reached') && reason.test(line)));
      const ready = (await (await fetch(`${server.address}/health/ready`)).json()) as { checks: object };
      expect(ready.checks).toMatchObject({ bus: 'unavailable' });
    } finally {
      await server.stop();
    }
  });

  it('is not given a CA for connections without TLS', () => {
    expect(() => Config.read({ REDIS_URL: 'redis://h:1', REDIS_CA_FILE: ours })).toThrow(/^REDIS_CA_FILE needs TLS/);
  });
});
