// Memory of a server after garbage collection, through its inspector.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { residentMib } from './process-usage.mjs';
import { freePort } from './servers.mjs';

/** Returns settings of a server with an inspector, and a function that resolves to its resident MiB without garbage. */
export async function inspected() {
  const place = `127.0.0.1:${await freePort()}`;
  return { settings: { NODE_OPTIONS: `--inspect=${place}` }, heldMib: (pid) => heldMib(place, pid) };
}

async function heldMib(place, pid) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://${place}/json/list`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl, { perMessageDeflate: false });
  await once(socket, 'open');
  for (let id = 0; id < 3; id++) {
    socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
    while (JSON.parse(String((await once(socket, 'message'))[0])).id !== id);
  }
  socket.close();
  return residentMib(pid);
}
