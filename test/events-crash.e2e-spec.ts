// @nightly: a node is killed again and again
import { Api } from './support/api.js';
import { Deployment } from './support/process.js';
import { Receiver, RECEIVER_SETTINGS } from './support/webhooks.js';

const ROUNDS = 3;
const BATCH = 200;
/** Maximum number of changes by which writers may be ahead of the receiver, so that a slow machine catches up. */
const MOST_AHEAD = 2_000;
const CREATE = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){secret}}';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a node killed while it stores and sends events', () => {
  it('loses no event of an answered change, and sends each under one id', async () => {
    const deployment = await Deployment.create({ PORT: '0', ...RECEIVER_SETTINGS });
    const receiver = await Receiver.start();
    try {
      let server = deployment.start();
      let address = await server.ready();
      const key = (await server.until(/psk_\w+(?=\n)/))!;
      const input = { url: receiver.url, events: ['LOG_CREATED'] };
      await new Api(address, 'document-log', key).ask(CREATE, { input });
      const sheets = { url: receiver.url, events: ['STYLESHEET_CREATED'] };
      await new Api(address, 'document-rendering', key).ask(CREATE, { input: sheets });
      const answered = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const [log, rendering] = [new Api(address, 'document-log', key), new Api(address, 'document-rendering', key)];
        let isKilled = false;
        const record = { documentId: 'd', documentType: 't', dateTime: '2026-01-01' };
        const write = async () => {
          while (!isKilled) {
            while (answered.size > receiver.received.length + MOST_AHEAD && !isKilled) await pause(20);
            const records = Array.from({ length: BATCH }, () => record);
            const done = await log
              .ask('mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}', { input: records })
              .catch(() => undefined);
            if (!done) return;
            for (const { itemId } of done.createLogBatch.results) answered.add(itemId);
          }
        };
        const create = async () => {
          while (!isKilled) {
            const done = await rendering.ask('mutation{createCss(input:{name:"n",text:""}){id}}').catch(() => undefined);
            if (!done) return;
            answered.add(done.createCss.id);
          }
        };
        const writers = [write(), create(), create()];
        const enough = answered.size + 5 * BATCH;
        while (answered.size < enough || receiver.received.length < (round + 1) * BATCH) {
          await pause(5);
        }
        isKilled = true;
        await server.stop('SIGKILL');
        await Promise.all(writers);
        server = deployment.start();
        address = await server.ready();
      }
      const idsOf = new Map<string, Set<unknown>>();
      let read = 0;
      const missing = () => {
        for (; read < receiver.received.length; read++) {
          const { body, headers } = receiver.received[read]!;
          const { subject } = JSON.parse(body) as { subject: string };
          idsOf.set(subject, (idsOf.get(subject) ?? new Set()).add(headers['webhook-id']));
        }
        return [...answered].filter((subject) => !idsOf.has(subject));
      };
      while (missing().length > 0) await pause(200);
      expect([...idsOf].filter(([, ids]) => ids.size > 1)).toEqual([]);
    } finally {
      await receiver.stop();
      await deployment.remove();
    }
  });
});
