import { inSeconds, type Push, until } from '../support/websockets.js';

/** Guarantees of several nodes of one deployment, which the workers of one node give too. */
export function holdsOnSeveralNodes(nodes: () => [Push, Push, Push]): void {
  let a: Push;
  let b: Push;
  let c: Push;
  let nextName = 0;
  const name = (): string => `shared${nextName++}`;
  beforeEach(() => {
    [a, b, c] = nodes();
  });

  it('find a connection on any node as soon as its client sees it open', async () => {
    for (let round = 0; round < 20; round++) {
      const ann = name();
      const client = await [a, b, c][round % 3]!.connect(ann);
      const { error, item } = await [b, c, a][round % 3]!.push(ann, 'now');
      expect(error).toBeNull();
      await client.received(1);
      if (round === 0) await a.settled(item.id, 'DELIVERED');
      client.socket.terminate();
    }
  });

  it('deliver to every connection of a recipient, list them all, and close them all', async () => {
    const ann = name();
    const clients = [await a.connect(ann), await b.connect(ann, { topic: 't' }), await c.connect(ann)];
    const { item } = await b.push(ann, 'hello');
    for (const client of clients) expect((await client.received(1))[0].id).toBe(item.id);
    await c.settled(item.id, 'DELIVERED');
    expect((await a.connections(ann)).map(({ topic }: any) => topic)).toEqual([null, 't', null]);
    await a.push(ann, 'only t', { topic: 't' });
    await clients[1]!.received(2);
    expect(await c.disconnect(ann)).toBe(3);
    for (const client of clients) expect((await client.closed).code).toBe(4403);
    expect(clients.map(({ texts }) => texts)).toEqual([['hello'], ['hello', 'only t'], ['hello']]);
    const { error } = await a.push(ann, 'nobody');
    expect(error.message).toContain(ann);
  });

  it('change the topics of connections on all nodes, so that a push made afterwards on any of them finds the connections', async () => {
    const ann = name();
    const clients = [await a.connect(ann, { topics: [] }), await b.connect(ann, { topics: [] }), await c.connect(ann)];
    const query =
      'mutation($recipient:String!,$add:[String!],$remove:[String!]){changeTopics(recipient:$recipient,add:$add,remove:$remove){topics}}';
    for (let round = 0; round < 5; round++) {
      const [changing, pushing, other] = [a, b, c].map((_, node) => [a, b, c][(node + round) % 3]!) as [Push, Push, Push];
      const add = [`${ann}/${round}`, `${ann}/${round}/*`];
      const { changeTopics } = await changing.api.ask(query, { recipient: ann, add });
      expect(changeTopics).toEqual([{ topics: add }, { topics: add }, { topics: add }]);
      await pushing.pushGlobal(`exact ${round}`, { topic: add[0] });
      await other.push(ann, `below ${round}`, { topic: `${ann}/${round}/x` });
      await other.api.ask(query, { recipient: ann, remove: add });
      await changing.pushGlobal('lost', { topic: add[0] });
      expect((await pushing.push(ann, 'lost', { topic: `${ann}/${round}/x` })).error).not.toBeNull();
    }
    for (const client of clients) {
      await client.received(10);
      expect(client.texts).toEqual([0, 1, 2, 3, 4].flatMap((round) => [`exact ${round}`, `below ${round}`]));
      client.socket.terminate();
    }
  });

  it('send a connection one frame of a push that is made through all of them at once with one idempotency key', async () => {
    const ann = name();
    const clients = [await a.connect(ann), await b.connect(ann)];
    const texts = Array.from({ length: 10 }, (_, index) => `${ann} ${index}`);
    for (const [index, text] of texts.entries()) {
      const rest = { idempotencyKey: text, ...(index % 2 === 0 && { expiresAt: inSeconds(600) }) };
      await Promise.all(Array.from({ length: 12 }, (_, push) => [a, b, c][push % 3]!.push(ann, text, rest)));
    }
    await a.push(ann, 'last');
    for (const client of clients) {
      await until(() => client.texts.includes('last'));
      expect(client.texts.toSorted()).toEqual([...texts, 'last'].toSorted());
      client.socket.terminate();
    }
  });

  it('keep the order of pushes made through different nodes, one after another', async () => {
    const ann = name();
    const client = await c.connect(ann);
    const texts = Array.from({ length: 30 }, (_, index) => `m${index}`);
    for (const [index, text] of texts.entries()) await [a, b, c][index % 3]!.push(ann, text);
    await client.received(texts.length);
    expect(client.texts).toEqual(texts);
  });

  it('count a recipient of a global message once, however many nodes it is connected to', async () => {
    const [ann, bob] = [name(), name()];
    const topic = name();
    const clients = [await a.connect(ann, { topic }), await b.connect(ann, { topic }), await c.connect(bob, { topic })];
    const { id } = await b.pushGlobal('to all', { topic });
    for (const client of clients) expect((await client.received(1))[0].id).toBe(id);
    const delivered = await until(async () => {
      const { items } = await a.messages({ globalMessageId: id, status: 'DELIVERED' });
      return items.length === 2 ? items : undefined;
    });
    expect(delivered.map(({ recipient }: any) => recipient).sort()).toEqual([ann, bob].sort());
    expect((await a.messages({ globalMessageId: id })).items).toHaveLength(2);
    for (const client of clients) client.socket.terminate();
  });
}
