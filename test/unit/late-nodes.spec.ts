// Past the API: what happens between two commands that a node sends to Redis.
import type { LocalConnections, Presence } from '../../src/modules/websockets-manager/bus/bus.js';
import { RedisLink } from '../../src/modules/websockets-manager/bus/redis-link.js';
import { Registry } from '../../src/modules/websockets-manager/bus/registry.js';
import { TopicMembers } from '../../src/modules/websockets-manager/bus/topic-members.js';
import { needing, program } from '../support/needs.js';
import { OwnRedis } from '../support/redis.js';

const ANN: Presence = {
  tenantId: 'shop',
  recipient: 'ann',
  connectionId: 'c1',
  nodeId: 'late',
  topic: null,
  topics: ['yard'],
  sourceIp: '127.0.0.1',
  connectedAt: 1,
};
const ALL = { after: undefined, limit: 10 };
const none = { wants: () => false, cameOnline: () => undefined, wentOffline: () => undefined };
/** Connections of the late node: Ann, with the topic `yard`. */
const here: LocalConnections = {
  presences: () => [ANN],
  has: () => true,
  hasRecipient: () => true,
  isOnly: () => true,
  hasTopic: () => true,
  hasPattern: () => false,
  hasObserver: () => false,
  topicsOf: () => ['yard'],
};

needing(program('redis-server')).describe('a node that was silent, and returns while others remove its connections', () => {
  let redis: OwnRedis;
  let link: RedisLink;
  beforeAll(async () => {
    redis = await OwnRedis.start();
    link = await RedisLink.open({ url: redis.url, isSecure: false }, ['test'], () => undefined);
  });
  afterAll(async () => {
    link?.destroy();
    await redis?.stop();
  });

  /** Link on which something happens before and after each step of another node. */
  function interrupted(act: () => Promise<void>): RedisLink {
    const run = async (work: any): Promise<unknown> => {
      await act();
      const result = await link.run(work);
      await act();
      return result;
    };
    return { run } as unknown as RedisLink;
  }

  it('has its recipients in their topics after its next beat, whenever between the steps of a removal it restores them', async () => {
    const late = new TopicMembers('late', 60, () => undefined);
    late.here = here;
    const other = new TopicMembers('other', 60, () => undefined);
    await late.renewAll(link);
    let beats = 0;
    await other.removeNode(
      interrupted(async () => {
        if (beats++ < 10) await late.restore(link); // which else restores them forever between two rounds of the removal
      }),
      'late',
    );
    await late.restore(link);
    expect(await other.read(link, 'shop', 'yard', ALL)).toEqual({ count: 1, names: ['ann'] });
  });

  it('is found by pushes to a recipient and to a topic, though its lease had expired when they looked', async () => {
    const late = new Registry('late', () => none);
    late.here = here;
    const other = new Registry('other', () => none);
    for (const look of [
      (from: RedisLink) => other.elsewhere(from, 'shop', ['ann']),
      (from: RedisLink) => other.nodesWith(from, 'shop', 'yard'),
    ]) {
      await late.renewAll(link);
      await late.endLease(link);
      let steps = 0;
      const returns = async (): Promise<void> => {
        if (++steps !== 4) return; // after the leases were read
        await late.renewLease(link);
        await late.renewAll(link);
      };
      await look(interrupted(returns));
      expect(steps).toBeGreaterThan(4);
      expect(await look(link)).toHaveLength(1);
    }
  });
});
