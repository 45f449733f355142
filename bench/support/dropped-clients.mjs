// Process with many connections of the JavaScript client, by WebSockets or, with the argument `events`, by event streams. Reports what
// the application was shown.
import { WebSocket as NodeWebSocket } from 'ws';
import { connect } from '../../clients/js/dist/index.js';

const [, , transport] = process.argv;
const OPENING = 50;

/** WebSocket of a network that blocks it. */
class Blocked extends EventTarget {
  constructor() {
    super();
    setImmediate(() => this.dispatchEvent(new Event('error')));
  }
  close() {}
}
const WebSocket = transport === 'events' ? Blocked : NodeWebSocket;

const clients = [];
process.on('message', async ({ open, count, since }) => {
  if (open) {
    const waiting = open.values();
    await Promise.all(Array.from({ length: OPENING }, () => openEach(waiting)));
    process.send({ opened: true });
  }
  if (since) {
    const back = clients.filter(({ connection, openedAt }) => connection.state.name === 'open' && openedAt >= since);
    process.send({ back: back.length, lastAt: back.reduce((last, { openedAt }) => Math.max(last, openedAt), 0) });
  }
  if (count) {
    const shown = clients.map(({ texts }) => texts);
    const repeated = shown.reduce((sum, texts) => sum + texts.length - new Set(texts).size, 0);
    process.send({ shown: shown.reduce((sum, texts) => sum + new Set(texts).size, 0), repeated });
  }
});
process.on('disconnect', () => process.exit());

async function openEach(waiting) {
  for (const uri of waiting) {
    await new Promise((resolve) => {
      const client = { texts: [], openedAt: 0 };
      const onMessage = ({ message }) => void client.texts.push(message);
      const onState = ({ name }) => {
        if (name !== 'open') return;
        client.openedAt = Date.now();
        resolve();
      };
      client.connection = connect(() => uri, { WebSocket, onMessage, onState });
      clients.push(client);
    });
  }
}
