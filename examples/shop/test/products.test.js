import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IMAGE, startShop } from './support.js';

let shop;
before(async () => (shop = await startShop()));
after(() => shop.stop());

test('a product has the image that was uploaded, under an address that needs no key', async () => {
  const { body: product } = await shop.post('/products', { name: 'Lamp', price: 20 });
  assert.equal((await shop.putImage(product.id)).status, 200);
  const { body } = await shop.get(`/products/${product.id}`);
  const image = await fetch(body.imageUrl);
  assert.equal(image.headers.get('content-type'), 'image/png');
  assert.deepEqual(new Uint8Array(await image.arrayBuffer()), IMAGE);
});

test('a product without a name, and one that is not there, are refused', async () => {
  assert.equal((await shop.post('/products', { price: 20 })).status, 400);
  assert.equal((await shop.get('/products/none')).status, 404);
});

test('an image that a browser sends by itself is there once the webhook has told of it', async () => {
  const { body: product } = await shop.post('/products', { name: 'Chair', price: 70 });
  await shop.tenant.recordEvents();
  const { uploadUrl } = (await shop.post(`/products/${product.id}/image-url`)).body;
  await fetch(uploadUrl, { method: 'PUT', body: IMAGE, headers: { 'content-type': 'image/png' } });
  const { data } = await shop.tenant.nextEvent({ type: 'file.done' });
  assert.equal(data.externalReference, `uploaded:${product.id}`);
  let imageUrl = null;
  for (const until = Date.now() + 30_000; !imageUrl && Date.now() < until; await sleep(20)) {
    ({ imageUrl } = (await shop.get(`/products/${product.id}`)).body);
  }
  assert.deepEqual(new Uint8Array(await (await fetch(imageUrl)).arrayBuffer()), IMAGE);
});

test('an event that the platform did not sign is refused', async () => {
  assert.equal((await shop.post('/hooks', { type: 'file.done' })).status, 400);
});
