import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const UPGRADE_HEADERS = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Serves a request that offers another protocol as plain HTTP (RFC 9110). Some clients (Java, curl --http2) offer HTTP/2 (`h2c`) with every
 * first request, and Node before 22.21 and 24.9 emits 'upgrade' for it.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!UPGRADE_HEADERS.has(rawHeaders[index]!.toLowerCase())) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  // HTTP headers are Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
