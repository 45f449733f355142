import { type Client, createClient } from '../../clients/js/dist/index.js';
import { freePort } from './process.js';
import { FaultyProxy } from './s3.js';
import { type Settings, TestServer } from './server.js';

/** A server with a client of one tenant, whose requests, URLs and WebSockets all pass a proxy that can disturb them. */
export class ClientAndServer {
  private constructor(
    readonly server: TestServer,
    readonly proxy: FaultyProxy,
    readonly key: string,
    readonly client: Client,
  ) {}

  static async start(settings: Settings = {}): Promise<ClientAndServer> {
    const port = String(await freePort());
    const proxy = await FaultyProxy.to(`http://127.0.0.1:${port}`);
    const WEBSOCKET_URL = proxy.endpoint.replace('http', 'ws');
    const server = await TestServer.start({ PORT: port, PUBLIC_URL: proxy.endpoint, WEBSOCKET_URL, ...settings });
    const key = await server.createKey();
    return new ClientAndServer(server, proxy, key, createClient({ url: proxy.endpoint, key }));
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await this.server.stop();
  }
}

/** Cuts the connection at the first matching response, and forwards all others. Returns how often it did. */
export function cutOnce(proxy: FaultyProxy, pattern: RegExp): () => number {
  let cuts = 0;
  proxy.fromStore = (bytes) => {
    if (cuts > 0 || !pattern.test(bytes.toString('latin1'))) return 'pass';
    cuts += 1;
    return 'cut';
  };
  return () => cuts;
}
