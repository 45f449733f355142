import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config/config.js';

/** What generated addresses begin with: PUBLIC_URL, else this node's own port on localhost. */
@Injectable()
export class PublicAddress {
  private own?: string;

  constructor(
    private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  get http(): string {
    return this.config.publicUrl ?? (this.own ??= this.ownAddress());
  }

  /** What WebSocket addresses begin with: WEBSOCKET_URL, else the same host and port. */
  get webSocket(): string {
    return this.config.websocketUrl ?? this.http.replace(/^http/, 'ws');
  }

  private ownAddress(): string {
    const address = this.adapterHost.httpAdapter.getHttpServer().address() as AddressInfo | null;
    return `http://localhost:${address?.port ?? this.config.port}`;
  }
}
