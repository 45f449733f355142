import { Inbox } from '../support/inbox.js';
import { type Push, until } from '../support/websockets.js';

const STATES = ['read', 'unread', 'archived'] as const;

/** Marks messages from both tabs and by the API while others are pushed, and checks that both tabs end with the number of the database. */
export async function inboxRounds([a, b]: [Push, Push], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const name = `tabs-${round}`;
    const [inbox, tabs] = [
      new Inbox(a.api, name),
      [await a.connect(name, { inbox: true }), await b.connect(name, { inbox: true })],
    ];
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) ids.push((await a.push(name, 'm', { inbox: true })).item.id);
    const work = Array.from({ length: 100 }, async (_, index) => {
      const id = ids[(index * 7) % ids.length]!;
      if (index % 10 === 0) return b.push(name, 'more', { inbox: true });
      if (index % 10 === 5) return inbox.mark(index % 4 ? 'READ' : 'SEEN', { ids: [id] });
      return tabs[index % 2]!.socket.send(JSON.stringify({ [STATES[index % 3]!]: id }));
    });
    await Promise.all(work);
    const last = () => tabs.map(({ frames }) => frames.findLast(({ id }) => id === undefined)?.inbox.unread);
    await until(async () => {
      const { unread } = await inbox.page({ limit: 1 });
      return last().every((one) => one === unread);
    });
    // Every mark was sent before this last one, on the same sockets.
    await inbox.mark('READ', { all: true });
    for (const tab of tabs) tab.socket.send(JSON.stringify({ read: ids[0] }));
    await until(() => last().every((one) => one === 0));
    for (const { socket } of tabs) socket.terminate();
  }
}
