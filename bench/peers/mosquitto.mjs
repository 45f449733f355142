// Starts mosquitto (Debian: mosquitto) without persistence, with MQTT at MQTT_PORT. GET / answers once it accepts connections;
// GET /burst?count=N publishes a message of 200 bytes N times with QoS 1. Exits with mosquitto.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connectPacket, publishPacket } from '../support/mqtt.mjs';

const MESSAGE = 'x'.repeat(200);
const { DATA_DIR, MQTT_PORT, PORT, HOST } = process.env;
const folder = join(DATA_DIR, 'mosquitto');
mkdirSync(folder, { recursive: true });
const settings = join(folder, 'mosquitto.conf');
writeFileSync(settings, `listener ${MQTT_PORT} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\nlog_type error\n`);
const broker = spawn('mosquitto', ['-c', settings], { stdio: ['ignore', 'ignore', 'inherit'] });
broker.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => broker.kill('SIGTERM'));
process.on('exit', () => broker.kill('SIGKILL'));

let publisher;
let published = 0;
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/') {
    publisher ??= connecting();
    response.statusCode = publisher.readyState === 'open' ? 200 : 503;
  }
  for (let count = Number(searchParams.get('count')); count > 0; count--)
    publisher.write(publishPacket((published++ % 65_535) + 1, MESSAGE));
  response.end();
}).listen(Number(PORT), HOST);

function connecting() {
  const socket = connect(Number(MQTT_PORT), '127.0.0.1', () => socket.write(connectPacket('publisher')));
  socket.resume();
  socket.on('error', () => (publisher = undefined));
  return socket;
}
