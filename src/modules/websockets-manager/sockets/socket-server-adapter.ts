import type { Server } from 'node:http';
import { WsAdapter } from '@nestjs/platform-ws';
import type { INestApplicationContext } from '@nestjs/common';
import type { Connection } from './connection.js';
import type { SocketServer } from './socket-server.js';

/** Connects Nest's gateway to SocketServer, the only handler of upgrades. */
export class SocketServerAdapter extends WsAdapter {
  constructor(
    app: INestApplicationContext,
    private readonly sockets: SocketServer,
  ) {
    super(app);
  }

  /** Replaces the server of WsAdapter, which would accept every upgrade. */
  override create(_port: number, { path }: { path: string }): SocketServer {
    this.sockets.listen(this.httpServer as Server, path);
    return this.sockets;
  }

  override bindClientConnect(sockets: SocketServer, opened: (connection: Connection) => void): void {
    sockets.lifecycle.onOpened = opened;
  }

  /** Subscribes nothing: SocketServer reads client frames. */
  override bindMessageHandlers(): void {}

  /** Subscribes nothing: SocketServer reports the end of every connection, even if it never opened. */
  override bindClientDisconnect(): void {}

  /** Does nothing: the gateway stops the server earlier, while the database is still connected. */
  override async close(): Promise<void> {}
}
