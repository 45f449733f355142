import { Config } from '../common/config/config.js';
import type { AdminCommands } from './admin-commands.js';
import { CliModule, database, type DatabaseNeed, loadQuickly, withService } from './cli.module.js';

/** Runs a function with the commands for keys and tenants, which share their code with the admin API. */
export async function withCommands(run: (commands: AdminCommands) => Promise<void>, need?: DatabaseNeed): Promise<void> {
  loadQuickly();
  const imports = await database(Config.fromProcess(), need);
  const [{ AdminCommands }, { AdminCommandsModule }] = await Promise.all([
    import('./admin-commands.js'),
    import('./admin-commands.module.js'),
  ]);
  await withService({ module: CliModule, imports: [...imports, AdminCommandsModule] }, AdminCommands, run);
}
