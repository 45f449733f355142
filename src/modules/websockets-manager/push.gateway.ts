import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RequestGate } from '../../common/http/request-gate.js';
import { NodeLink } from './node-link.js';
import { SocketServer } from './sockets/socket-server.js';
import { missingUpgrade } from './sockets/upgrade-answers.js';

/** Upgrades of the one port, whatever their path. */
@Injectable()
export class PushGateway implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly sockets: SocketServer,
    private readonly link: NodeLink,
    private readonly gate: RequestGate,
  ) {}

  onApplicationBootstrap(): void {
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.sockets.admit({ server, request, socket, head });
    });
    this.gate.addHint(missingUpgrade);
    this.link.start();
    this.sockets.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.sockets.stop();
  }
}
