// npm run keys, npm run tenants, npm run files, npm run log: the command line. The first argument names the group.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
await import('../dist/bundle/cli.js');
