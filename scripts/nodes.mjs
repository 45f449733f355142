// npm run nodes: three nodes behind HAProxy on PORT (3000), on the configured PostgreSQL, store and Redis. SIGHUP restarts the nodes
// one by one, as an upgrade does; Ctrl-C stops them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ThreeNodes } from '../deploy/three-nodes.mjs';
import { prepare, root } from './prepare.mjs';

const NEEDED = ['DATABASE_URL', 'REDIS_URL', 'S3_ENDPOINT', 'SECRET_KEY'];

const file = join(root, '.env');
if (existsSync(file)) process.loadEnvFile(file);
const missing = NEEDED.filter((name) => !process.env[name]);
if (missing.length > 0) {
  console.error(`Several nodes need ${missing.join(', ')}: see .env.example`);
  process.exit(2);
}
await prepare();
const { PORT = '3000', ...settings } = process.env;
const three = await ThreeNodes.start(settings, Number(PORT));
for (const node of three.nodes) {
  process.stdout.write(node.output);
  node.onOutput = (text) => process.stdout.write(text);
}
console.log(`Three nodes serve ${three.address}`);
let rolling;
process.on('SIGHUP', () => (rolling ??= roll().finally(() => (rolling = undefined))));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end());

async function roll() {
  for (const node of three.nodes) {
    await node.restart();
    console.log(`${node.name} was restarted`);
  }
}

async function end() {
  await Promise.all(three.nodes.map((node) => node.end('SIGTERM')));
  await three.stop();
  process.exit(0);
}
