// Microseconds to identify the caller of a request by an access token, against by its key: repeated ones, as most requests have, and the
// first request of each token, whose MAC is verified. One process, alternately. Left out: the database lookup of a key on its first use.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../dist/app.js';
import { ApiKeysService } from '../dist/common/auth/api-keys.service.js';
import { Authenticator } from '../dist/common/auth/authenticator.js';
import { Config } from '../dist/common/config/config.js';
import { createLogger } from '../dist/common/logging/logger.js';
import { AccessTokens } from '../dist/common/tokens/access-tokens.js';
import { median, report } from './support/report.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const CALLS = 50_000;
const FIRST = 5_000;
const TARGET_US = 3;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-tokens-'));
const config = Config.read({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'fatal', SECRET_KEY: 'x'.repeat(40), DATA_DIR: dataDir });
const app = await createApp(config, createLogger(config));
await app.init();
const authenticator = app.get(Authenticator, { strict: false });
const tokens = app.get(AccessTokens, { strict: false });
const scope = ['file-management-api:query:*', 'file-management-api:mutation:*'];
const key = await app.get(ApiKeysService, { strict: false }).create({ tenant: 'bench', scope: scope.join(' ') });
const { tenantId, keyId } = await authenticator.authenticate({ 'x-api-key': key });
const issue = (id) =>
  tokens.issue({ id, tenantId, keyId, scope, issuedAt: Date.now(), expiresAt: Date.now() + 3_600_000, filePrefix: 'users/7/' });
const token = issue('0');

const known = { key: [], token: [], first: [] };
for (let round = 0; round < ROUNDS; round++) {
  await authenticator.authenticate({ 'x-api-key': key });
  known.key.push(microseconds(CALLS, () => key));
  known.token.push(microseconds(CALLS, () => token));
  const fresh = Array.from({ length: FIRST }, (_, at) => issue(`${round}-${at}`));
  known.first.push(microseconds(FIRST, (at) => fresh[at]));
}
const [byKey, byToken, first] = [known.key, known.token, known.first].map(median);
const row = (what, value, target) => ({
  what,
  ours: value.toFixed(2),
  peer: byKey.toFixed(2),
  ratio: (value / byKey).toFixed(1),
  ...(target && { target: `< key + ${target} µs`, met: value < byKey + target }),
});
report('tokens: microseconds to identify a caller, peer: a known key', [
  row('known token', byToken, TARGET_US),
  row('token on its first use', first),
]);
await app.close();
rmSync(dataDir, { recursive: true, force: true });

function microseconds(calls, credentialAt) {
  const startedAt = performance.now();
  for (let at = 0; at < calls; at++) authenticator.authenticate({ 'x-api-key': credentialAt(at) });
  return ((performance.now() - startedAt) * 1_000) / calls;
}
