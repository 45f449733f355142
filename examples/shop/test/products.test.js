import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
