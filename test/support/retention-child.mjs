// Erases the records of ann, or removes all records, of a tenant in the smallest steps, and writes a dot after each: a test kills it meanwhile.
// Arguments: erase or remove, and the tenant.
import 'reflect-metadata';
import { CliModule, database, withService } from '../../dist/commands/cli.module.js';
import { Config } from '../../dist/common/config/config.js';
import { LogErasureService } from '../../dist/modules/document-log/retention/log-erasure.service.js';
import { LogRetentionModule } from '../../dist/modules/document-log/retention/log-retention.module.js';
import { LogRetentionService } from '../../dist/modules/document-log/retention/log-retention.service.js';

const [what, tenantId] = process.argv.slice(2);
const module = { module: CliModule, imports: [...(await database(Config.fromProcess())), LogRetentionModule] };
await withService(module, LogErasureService, async (erasure, context) => {
  const retention = context.get(LogRetentionService, { strict: false });
  const step = () =>
    what === 'erase'
      ? erasure.erase(tenantId, { authorId: 'ann' }, { limit: 1 })
      : retention.remove(tenantId, new Date(Date.now() + 60_000), { limit: 1 });
  while ((await step()).more) process.stdout.write('.');
});
