import { createClient } from '@redis/client';
import type { RedisSettings } from '../../../common/config/config.js';
import { BusDown } from './bus.js';

const CONNECT_MS = 2_000;
const COMMAND_MS = 2_000;

export type RedisClient = ReturnType<typeof newClient>;

/**
 * Two connections to one Redis, one for commands and one that listens, for as long as both work. A link is never repaired: once
 * it fails, or does not answer in time, it has ended, and a new one is opened.
 */
export class RedisLink {
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;
  private end!: () => void;
  private isEnded = false;

  private constructor(
    private readonly commands: RedisClient,
    private readonly listener: RedisClient,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    for (const client of [commands, listener]) client.on('error', () => this.destroy()).on('end', () => this.destroy());
  }

  /** Connects and subscribes to channels. @throws if Redis cannot be reached */
  static async open(
    settings: RedisSettings,
    channels: string[],
    hear: (message: string, channel: string) => void,
  ): Promise<RedisLink> {
    const target = settings.sentinels ? await masterOf(settings) : { url: settings.url };
    const link = new RedisLink(newClient(target), newClient(target));
    try {
      await link.run(async () => {
        await Promise.all([link.commands.connect(), link.listener.connect()]);
        await link.listener.subscribe(channels, hear);
      });
      return link;
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  /** Runs commands; those of one turn of the event loop are sent together. @throws BusDown, after which the link has ended */
  async run<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    try {
      if (this.isEnded) throw new Error('the link has ended');
      return await withTimeout(work(this.commands));
    } catch (error) {
      this.destroy();
      throw new BusDown('Redis does not answer', { cause: error });
    }
  }

  destroy(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const client of [this.commands, this.listener]) if (client.isOpen) client.destroy();
    this.end();
  }
}

/** Fails if a server accepts a connection or a command but does not answer. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${COMMAND_MS} ms`)), COMMAND_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

type Target = { url: string } | { host: string; port: number; username?: string; password?: string };

function newClient(target: Target) {
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: false as const };
  const shared = { RESP: 2 as const, disableOfflineQueue: true };
  if ('url' in target) return createClient({ ...shared, url: target.url, socket });
  const { host, port, username, password } = target;
  return createClient({ ...shared, username, password, socket: { ...socket, host, port } });
}

/** Asks the Sentinels in turn for the master of the group, until one answers. */
async function masterOf({ sentinels, group, username, password }: Extract<RedisSettings, { group: string }>): Promise<Target> {
  let last: unknown;
  for (const sentinel of sentinels) {
    const [host = '', port] = sentinel.split(':');
    const client = newClient({ host, port: Number(port) });
    client.on('error', (error) => (last = error));
    try {
      const asked = client
        .connect()
        .then(() => client.sendCommand<[string, string]>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group]));
      const [address, at] = await withTimeout(asked);
      return { host: address, port: Number(at), username, password };
    } catch (error) {
      last = error;
    } finally {
      if (client.isOpen) client.destroy();
    }
  }
  throw new BusDown('No Sentinel names a master', { cause: last });
}
