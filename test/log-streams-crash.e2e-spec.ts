// @nightly: 100,000 records, and a node that is killed
import { Api } from './support/api.js';
import { Deployment } from './support/process.js';
import { Receiver, RECEIVER_SETTINGS } from './support/webhooks.js';
import { until } from './support/websockets.js';

const RECORDS = 100_000;
const BATCH = 2_000;
const KILLS = 2;
const CREATE = 'mutation($input:CreateLogStreamInput!){createLogStream(input:$input){id}}';
const WRITE = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}';

describe('a log stream whose receiver fails every third request, on a node that is killed twice', () => {
  it('delivers 100,000 records, none missing, in the order of writing', async () => {
    const deployment = await Deployment.create({ PORT: '0', ...RECEIVER_SETTINGS });
    const receiver = await Receiver.start();
    const taken: number[] = [];
    let asked = 0;
    receiver.answer = ({ body }) => {
      receiver.received.length = 0; // they are large
      if (++asked % 3 === 0) return { status: 503 };
      for (const line of body.trimEnd().split('\n')) taken.push(Number((JSON.parse(line) as { documentId: string }).documentId));
      return { status: 204 };
    };
    try {
      let server = deployment.start();
      let address = await server.ready();
      const key = (await server.until(/psk_\w+(?=\n)/))!;
      const destination = { https: { url: receiver.url } };
      await new Api(address, 'document-log', key).ask(CREATE, { input: { name: 's', destination } });
      for (let from = 0; from < RECORDS; from += BATCH) {
        const input = Array.from({ length: BATCH }, (_, index) => {
          return { documentId: String(from + index), documentType: 't', dateTime: '2026-01-01' };
        });
        await new Api(address, 'document-log', key).ask(WRITE, { input });
      }
      for (let kill = 1; kill <= KILLS; kill++) {
        await until(async () => taken.length > (kill * RECORDS) / 4);
        await server.stop('SIGKILL');
        server = deployment.start();
        address = await server.ready();
      }
      const first = new Set<number>();
      let read = 0;
      while (first.size < RECORDS) {
        for (; read < taken.length; read++) first.add(taken[read]!);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      // A set has its members in the order in which they came first.
      expect([...first].every((record, index) => record === index)).toBe(true);
      expect(taken.length).toBeLessThan(1.2 * RECORDS);
    } finally {
      await receiver.stop();
      await deployment.remove();
    }
  });
});
