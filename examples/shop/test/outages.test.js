// Faults and the clock concern a whole server, so this file has one of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startShop } from './support.js';

let shop;
before(async () => (shop = await startShop({ exclusive: true })));
after(() => shop?.stop());

const customer = { name: 'ann', email: 'ann@example.com' };
const addProduct = async () => (await shop.post('/products', { name: 'Lamp', price: 20 })).body;

test('an order is taken while the mail server is down, and its invoice is sent later', async () => {
  const product = await addProduct();
  await shop.platform.faults.break('mail');
  const { status } = await shop.post('/orders', { productId: product.id, quantity: 1, customer });
  assert.equal(status, 201);
  assert.deepEqual(await shop.tenant.mails(), []);
  await shop.platform.faults.fix('mail');
  await shop.platform.clock.advance('10m');
  assert.equal((await shop.tenant.nextMail({ to: customer.email, timeoutMs: 30_000 })).subject, 'Your order of Lamp');
});

test('the address of an image ends after ten minutes', async () => {
  const product = await addProduct();
  await shop.putImage(product.id);
  const { imageUrl } = (await shop.get(`/products/${product.id}`)).body;
  await shop.platform.clock.advance('11m');
  assert.equal((await fetch(imageUrl)).status, 403);
});
