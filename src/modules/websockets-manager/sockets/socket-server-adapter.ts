import type { Server } from 'node:http';
import { WsAdapter } from '@nestjs/platform-ws';
import type { INestApplicationContext } from '@nestjs/common';
import type { Connection } from './connection.js';
import type { SocketServer } from './socket-server.js';

/** Connects Nest's gateway with our socket server, which is the only one that handles upgrades. */
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
    sockets.onOpened = opened;
  }

  /** Subscribes nothing for a connection: SocketServer reads what clients send. */
  override bindMessageHandlers(): void {}

  /**
   * Subscribes nothing for a connection: SocketServer tells its listener about the end of every connection, even if it never
   * opened.
   */
  override bindClientDisconnect(): void {}

  /** Does nothing: the gateway has stopped the server earlier, while the database was still connected. */
  override async close(): Promise<void> {}
}
