import type { IncomingMessage, Server } from 'node:http';

/** Returns whether a request asks for a WebSocket. Other protocols are ignored, as RFC 9110 allows. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Options of an HTTP server that serves upgrades to other protocols as plain HTTP. Requires Node 22.21 or 24.9; earlier versions emit
 * 'upgrade' for all. On Node 26 the `head` of that event no longer contains the body, so it could not be replayed.
 */
export const webSocketsOnly = {
  shouldUpgradeCallback(this: Server, request: IncomingMessage): boolean {
    return this.listenerCount('upgrade') > 0 && asksForWebSocket(request);
  },
};
