// npm run -s keys -- ...: tenants and keys from the command line.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
await import('../dist/cli.js');
