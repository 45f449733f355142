// npm start: prepares what is stale, then serves in this same process, so that signals reach the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
await import('../dist/bundle/main.js');
