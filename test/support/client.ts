import { type Client, createClient } from '../../clients/js/dist/index.js';
import { freePort } from './process.js';
import { DisturbedWay } from './s3.js';
import { type Settings, TestServer } from './server.js';

/** A server with a client of one tenant, whose requests, addresses and WebSockets all go a way that can be disturbed. */
export class ClientAndServer {
  private constructor(
    readonly server: TestServer,
    readonly way: DisturbedWay,
    readonly key: string,
    readonly client: Client,
  ) {}

  static async start(settings: Settings = {}): Promise<ClientAndServer> {
    const port = String(await freePort());
    const way = await DisturbedWay.to(`http://127.0.0.1:${port}`);
    const WEBSOCKET_URL = way.endpoint.replace('http', 'ws');
    const server = await TestServer.start({ PORT: port, PUBLIC_URL: way.endpoint, WEBSOCKET_URL, ...settings });
    const key = await server.createKey();
    return new ClientAndServer(server, way, key, createClient({ url: way.endpoint, key }));
  }

  async stop(): Promise<void> {
    await this.way.close();
    await this.server.stop();
  }
}

/** Cuts the connection at the first answer that matches, and lets all else pass. Returns how often it did. */
export function cutOnce(way: DisturbedWay, pattern: RegExp): () => number {
  let cuts = 0;
  way.fromStore = (bytes) => {
    if (cuts > 0 || !pattern.test(bytes.toString('latin1'))) return 'pass';
    cuts += 1;
    return 'cut';
  };
  return () => cuts;
}
