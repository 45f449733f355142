import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config/config.js';

/** Base of generated URLs: PUBLIC_URL, else this node's own port on localhost. */
@Injectable()
export class PublicAddress {
  private own?: string;
  /** Host of FILES_URL, without the default port of its scheme. */
  private readonly filesHost?: string;
  private readonly impliedPort: RegExp;

  constructor(
    private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
  ) {
    this.filesHost = config.filesUrl && new URL(config.filesUrl).host;
    this.impliedPort = config.filesUrl?.startsWith('https:') ? /:443$/ : /:80$/;
  }

  get http(): string {
    return this.config.publicUrl ?? (this.own ??= this.ownAddress());
  }

  /** Base of URLs of file contents: FILES_URL, else the same as of all others. */
  get files(): string {
    return this.config.filesUrl ?? this.http;
  }

  /** Returns whether routes are served at a host. With FILES_URL, its host serves file contents and nothing else. */
  serves(host: string, movesContent = false): boolean {
    if (this.filesHost === undefined) return true;
    return (host.toLowerCase().replace(this.impliedPort, '') === this.filesHost) === movesContent;
  }

  /** Base of WebSocket URLs: WEBSOCKET_URL, else the same host and port. */
  get webSocket(): string {
    return this.config.websocketUrl ?? this.http.replace(/^http/, 'ws');
  }

  private ownAddress(): string {
    const address = this.adapterHost.httpAdapter.getHttpServer().address() as AddressInfo | null;
    return `http://localhost:${address?.port ?? this.config.port}`;
  }
}
