import { inSeconds, type Push, until } from '../support/websockets.js';

/** Connects in the middle of pushes, and checks that every push arrives once, and replayed ones before others. */
export async function rewindRounds(nodes: Push[], rounds: number): Promise<void> {
  const nodeAt = (index: number): Push => nodes[index % nodes.length]!;
  for (let round = 0; round < rounds; round++) {
    const [topic, ann] = [`rewind/${round}`, `rewinder-${round}`];
    const register = { topics: [topic], rewind: { messages: 100, seconds: 600 } };
    const anchor = await nodeAt(round).connect(ann, { topics: [topic] }); // keeps messages that cannot wait from being cancelled
    const sent: string[] = [];
    const pushOne = async (index: number) => {
      const text = `${round} ${index}`;
      sent.push(text);
      const rest = { topic, idempotencyKey: text, ...(index % 4 < 2 && { expiresAt: inSeconds(600) }) };
      const node = nodeAt(round + index);
      await (index % 2 === 0 ? node.pushGlobal(text, rest) : node.push(ann, text, rest));
    };
    for (let index = 0; index < 5; index++) await pushOne(index);
    const pushes = (async () => {
      for (let index = 5; index < 30; index += 5) await Promise.all([0, 1, 2, 3, 4].map((more) => pushOne(index + more)));
    })();
    const clients = [];
    for (let late = 0; late < 3; late++) {
      clients.push(await nodeAt(round + 1 + late).connect(ann, register));
      await new Promise((resolve) => setTimeout(resolve, (round * 7 + late * 3) % 15));
    }
    await pushes;
    for (const client of clients) {
      await until(() => client.frames.length >= sent.length);
      expect(client.texts.toSorted()).toEqual(sent.toSorted());
    }
    await nodeAt(round).push(ann, 'end', { topic });
    for (const client of clients) {
      await until(() => client.texts.includes('end'));
      expect(client.frames).toHaveLength(sent.length + 1);
      const marks = client.frames.map(({ replayed }) => replayed === true);
      expect(marks).toEqual(marks.toSorted((a, b) => Number(b) - Number(a)));
    }
    for (const { socket } of [anchor, ...clients]) socket.terminate();
  }
}
