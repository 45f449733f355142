import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect } from '@platform-services/client';
import { WebSocket } from 'ws';
import { IMAGE, startShop } from './support.js';

const CUSTOMER = { name: 'Ann <Smith>', email: 'ann@example.com' };
let shop;
let product;
before(async () => {
  shop = await startShop();
  product = (await shop.post('/products', { name: 'Lamp', price: 645.75 })).body;
  await shop.putImage(product.id);
});
after(() => shop?.stop());

const order = async (customer = CUSTOMER) => (await shop.post('/orders', { productId: product.id, quantity: 2, customer })).body;

test('an order sends the invoice, with the image of the product', async () => {
  const email = 'invoice@example.com';
  const { id } = await order({ ...CUSTOMER, email });
  const mail = await shop.tenant.nextMail({ to: email, timeoutMs: 30_000 });
  assert.equal(mail.subject, 'Your order of Lamp');
  assert.match(mail.html, new RegExp(`Invoice ${id}`));
  assert.match(mail.html, /1,291\.50 EUR/);
  assert.match(mail.html, /Ann &lt;Smith&gt;/);
  assert.deepEqual(mail.attachments, [
    { name: 'Lamp.png', contentType: 'image/png', contentId: null, content: mail.attachments[0].content },
  ]);
  assert.deepEqual(mail.attachments[0].content, IMAGE);
});

test('a customer hears of the order at once, and of what happened while the page was closed', async () => {
  const customer = { name: 'bob', email: 'bob@example.com' };
  const { id } = await order(customer);
  await shop.post(`/orders/${id}/ship`);
  const states = [];
  await new Promise((resolve, reject) => {
    const uri = async () => (await shop.post('/customers/bob/connection')).body.connectionUri;
    const connection = connect(uri, { WebSocket, onMessage });
    const limit = setTimeout(() => reject(new Error(`heard only ${states}`)), 30_000);
    function onMessage({ message }) {
      states.push(JSON.parse(message).status);
      if (states.length === 2) void order(customer);
      if (states.length < 3) return;
      clearTimeout(limit);
      connection.close();
      resolve();
    }
  });
  assert.deepEqual(states, ['ordered', 'shipped', 'ordered']);
});

test('each change of an order is in its history, with its author', async () => {
  const { id } = await order();
  await shop.post(`/orders/${id}/ship`);
  const { body } = await shop.get(`/orders/${id}/history`);
  const changes = body.filter(({ field }) => field === 'status').map(({ by, from, to }) => [by, from, to].join());
  assert.deepEqual(changes.sort(), ['Ann <Smith>,,ordered', 'shop,ordered,shipped']);
});

test('an order is shipped once', async () => {
  const { id } = await order();
  assert.equal((await shop.post(`/orders/${id}/ship`)).status, 200);
  assert.equal((await shop.post(`/orders/${id}/ship`)).status, 409);
});
