import type { IncomingMessage, Server } from 'node:http';

/** Returns whether a request asks for a WebSocket. Offers of other protocols are ignored, as RFC 9110 allows. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Options of an HTTP server that serves requests for other protocols as plain HTTP. Node knows them as of 22.21 and 24.9; earlier
 * versions emit 'upgrade' for all. On Node 26 a body is no longer in the `head` of that event, so it could not be replayed.
 */
export const webSocketsOnly = {
  shouldUpgradeCallback(this: Server, request: IncomingMessage): boolean {
    return this.listenerCount('upgrade') > 0 && asksForWebSocket(request);
  },
};
