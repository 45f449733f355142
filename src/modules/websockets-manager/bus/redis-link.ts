import { inTime } from '../../../common/base/in-time.js';
import type { RedisSettings } from '../../../common/config/settings/redis-settings.js';
import { beginChild, endFailed, SpanKind } from '../../../common/tracing/spans.js';
import { BusDown } from './bus.js';
import { COMMAND_MS, isCluster, newClient, reasonOf, type RedisClient, SLOT_TAG, targetOf } from './redis-target.js';

/**
 * Pair of connections to one Redis: one for commands, one for subscriptions. Never repaired: on failure or timeout the link ends, and the
 * caller opens a new one.
 */
export class RedisLink {
  /** Resolves once the link has ended. */
  readonly ended: Promise<void>;
  private end!: () => void;
  private isEnded = false;

  private constructor(
    private readonly commands: RedisClient,
    private readonly listener: RedisClient,
    private readonly settings: RedisSettings,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    for (const client of [commands, listener]) client.on('error', () => this.destroy()).on('end', () => this.destroy());
  }

  /** Connects and subscribes to channels. @throws if Redis cannot be reached */
  static async open(
    settings: RedisSettings,
    channels: string[],
    onMessage: (message: string, channel: string) => void,
  ): Promise<RedisLink> {
    const target = await targetOf(settings);
    const link = new RedisLink(newClient(target, settings), newClient(target, settings), settings);
    try {
      await link.run(async () => {
        await Promise.all([link.commands.connect(), link.listener.connect()]);
        await subscribe(link.listener, channels, onMessage, settings);
      });
      return link;
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  /**
   * Runs commands. Commands issued in one turn of the event loop are sent together. `what` names them in a trace.
   * @throws BusDown, after which the link has ended
   */
  async run<T>(work: (client: RedisClient) => Promise<T>, what = 'commands'): Promise<T> {
    const span = beginChild(`redis ${what}`, {
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'redis', 'db.operation.name': what },
    });
    try {
      if (this.isEnded) throw new Error('the link has ended');
      const result = await inTime(work(this.commands), COMMAND_MS, 'no response');
      span?.end();
      return result;
    } catch (error) {
      endFailed(span, error);
      this.destroy();
      throw new BusDown(reasonOf(error, this.settings, 'Redis does not respond'), { cause: error });
    }
  }

  /** Sends a message to the subscribers of a channel. @throws BusDown, after which the link has ended */
  async publish(channel: string, message: string): Promise<void> {
    if (isCluster(this.settings)) await this.run((redis) => redis.sPublish(SLOT_TAG + channel, message), 'SPUBLISH');
    else await this.run((redis) => redis.publish(channel, message), 'PUBLISH');
  }

  destroy(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const client of [this.commands, this.listener]) if (client.isOpen) client.destroy();
    this.end();
  }
}

/**
 * Subscribes to channels. In a cluster, they are sharded channels in the slot of the keys: a message stays with their master, where that of
 * an ordinary channel is sent to every node of the cluster.
 */
function subscribe(
  client: RedisClient,
  channels: string[],
  onMessage: (message: string, channel: string) => void,
  settings: RedisSettings,
): Promise<void> {
  if (!isCluster(settings)) return client.subscribe(channels, onMessage);
  const sharded = channels.map((channel) => SLOT_TAG + channel);
  return client.sSubscribe(sharded, (message, channel) => onMessage(message, channel.slice(SLOT_TAG.length)));
}
