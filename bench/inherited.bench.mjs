// Renderings of a template that a tenant inherits, against those of an own one of a tenant without a parent, alternately in one process:
// processor time of all threads. Left out: HTTP, which is the same for both; templates with partials or layouts; PostgreSQL.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../dist/app.js';
import { ApiKeysService } from '../dist/common/auth/api-keys.service.js';
import { Authenticator } from '../dist/common/auth/authenticator.js';
import { Config } from '../dist/common/config/config.js';
import { createLogger } from '../dist/common/logging/logger.js';
import { ParentTenants } from '../dist/common/tenants/parent-tenants.js';
import { TenantsService } from '../dist/common/tenants/tenants.service.js';
import { RenderingService } from '../dist/modules/document-rendering/rendering.service.js';
import { TemplatesService } from '../dist/modules/document-rendering/templates/templates.service.js';
import { median, report } from './support/report.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 301);
const CALLS = 500;
const AT_ONCE = 50;
const TARGET = 1.05;
const scope = 'document-rendering-api:query:* document-rendering-api:mutation:*';

const dataDir = mkdtempSync(join(tmpdir(), 'bench-inherited-'));
const config = Config.read({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'fatal', SECRET_KEY: 'x'.repeat(40), DATA_DIR: dataDir });
const app = await createApp(config, createLogger(config));
await app.init();
const [authenticator, keys, tenants, parents, templates, rendering] = [
  Authenticator, ApiKeysService, TenantsService, ParentTenants, TemplatesService, RenderingService,
].map((service) => app.get(service, { strict: false })); // prettier-ignore
const callerOf = async (tenant) => authenticator.authenticate({ 'x-api-key': await keys.create({ tenant, scope }) });
const [alone, parent, child] = [await callerOf('alone'), await callerOf('parent'), await callerOf('child')];
const body = '<p>Dear {{ name }}, your order {{ order.id }} is on its way.</p>';
for (const caller of [alone, parent])
  await templates.create(caller, { name: 'order', type: 'document', contentType: 'html', body });
await tenants.setParent(child.tenantId, parent.tenantId, () => Promise.resolve());
await parents.onModuleInit();
const input = { templateName: 'order', params: JSON.stringify({ name: 'Ann', order: { id: '17' } }) };
assert.equal((await rendering.render(child, input)).body, (await rendering.render(alone, input)).body);

const ratios = [];
const times = { inherited: [], own: [] };
for (let round = -20; round < ROUNDS; round++) {
  const order = round % 2 === 0 ? ['inherited', 'own'] : ['own', 'inherited'];
  const found = {};
  for (const which of order) found[which] = await microseconds(which === 'own' ? alone : child);
  if (round < 0) continue; // warms up
  for (const which of order) times[which].push(found[which]);
  ratios.push(found.inherited / found.own);
}
const ratio = median(ratios);
report('inherited: processor time of a rendering, microseconds, peer: an own template', [
  {
    what: 'a template of the parent',
    ours: median(times.inherited).toFixed(1),
    peer: median(times.own).toFixed(1),
    ratio: ratio.toFixed(2),
    target: `<= ${TARGET}`,
    met: ratio <= TARGET,
  },
]);
await app.close();
rmSync(dataDir, { recursive: true, force: true });

async function microseconds(caller) {
  const startedAt = process.cpuUsage();
  for (let at = 0; at < CALLS; at += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => rendering.render(caller, input)));
  }
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / CALLS;
}
