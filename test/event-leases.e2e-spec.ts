// @only postgresql: two nodes need a database over the network
// @nightly: waits for the ends of leases
import { Api } from './support/api.js';
import { Deployment } from './support/process.js';
import { FaultyProxy } from './support/s3.js';
import { until } from './support/websockets.js';
import { Receiver, RECEIVER_SETTINGS } from './support/webhooks.js';

const EVENTS = 40;
const ANSWER_MS = 1_000;
/** The events that are stored meanwhile are read together, after the first. */
const FIRST_ANSWER_MS = 8_000;

it('a node cut off from the database sends no events of an object while another node sends them', async () => {
  const deployment = await Deployment.create({ PORT: '0', ...RECEIVER_SETTINGS });
  const direct = new URL(deployment.settings.DATABASE_URL!);
  const proxy = await FaultyProxy.to(`http://${direct.hostname}:${direct.port || 5432}`);
  const through = new URL(direct);
  through.host = new URL(proxy.endpoint).host;
  const node = deployment.start({ DATABASE_URL: through.href });
  const api = new Api(await node.ready(), 'document-rendering', (await node.until(/psk_\w+(?=\n)/))!);
  const receiver = await Receiver.start();
  let [underWay, most] = [0, 0];
  receiver.answer = () => {
    most = Math.max(most, ++underWay);
    const afterMs = receiver.received.length === 0 ? FIRST_ANSWER_MS : ANSWER_MS;
    setTimeout(() => underWay--, afterMs);
    return { status: 204, afterMs };
  };
  const { createCss } = await api.ask('mutation{createCss(input:{name:"n",text:""}){id}}');
  const input = { url: receiver.url, events: ['STYLESHEET_UPDATED'] };
  await api.ask('mutation($input:CreateWebhookInput!){createWebhook(input:$input){secret}}', { input });
  for (let event = 0; event < EVENTS; event++) {
    await api.ask(`mutation{updateCss(id:"${createCss.id}",input:{text:"p{order:${event}}"}){id}}`);
  }
  await receiver.until(2);
  proxy.swallow();
  const before = receiver.received.length;
  const other = deployment.start();
  await other.ready();
  const isDone = `SELECT 1 AS "one" FROM "Event" HAVING count(*) = ${EVENTS} AND bool_and("status" = 'DELIVERED')`;
  await until(async () => (await deployment.query('the node of the API is cut off', isDone)).length > 0, 300_000);
  expect(receiver.received.length).toBeGreaterThan(before);
  expect(most).toBe(1);
  await deployment.remove();
  await Promise.all([receiver.stop(), proxy.close()]);
}, 400_000);
