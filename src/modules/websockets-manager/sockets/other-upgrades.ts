import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const ASKS_FOR_UPGRADE = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Serves a request as if it had not asked for another protocol, as RFC 9110 has it for one that a server does not speak.
 * Clients ask for HTTP/2 that way with every first request (`h2c`: Java, curl --http2), and Node hands over all of them.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!ASKS_FOR_UPGRADE.has(rawHeaders[index]!.toLowerCase())) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  // Headers are Latin-1 on the wire.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
