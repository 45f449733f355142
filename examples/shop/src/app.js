// The routes of the shop. A real one would ask for a login, above all before it gives out the address of a customer's connection.
import { PlatformError, WebhookVerificationError } from '@platform-services/client';
import express from 'express';
import { RefusedError } from './shop.js';

export function createApp(shop) {
  const app = express();
  // The signature covers the raw bytes, so this route stands before the JSON parser.
  app.post('/hooks', express.raw({ type: () => true, limit: '1mb' }), async (request, response) => {
    const event = await shop.verify(request.body, request.headers);
    response.status(204).end(); // the answer first, then the work
    shop.hear(event).catch(console.error);
  });
  app.use(express.json());
  app.post('/products', async (request, response) => response.status(201).json(await shop.addProduct(request.body)));
  // The body is the image. It is streamed to the store, and never held in memory as a whole.
  app.put('/products/:id/image', async (request, response) =>
    response.json(await shop.setImage(request.params.id, request, request.get('content-type'))),
  );
  // A browser sends the image there by itself; a webhook tells the shop once it has arrived.
  app.post('/products/:id/image-url', async (request, response) => response.json(await shop.imageUploadUrl(request.params.id)));
  app.get('/products/:id', async (request, response) => response.json(await shop.product(request.params.id)));
  app.post('/orders', async (request, response) => response.status(201).json(await shop.order(request.body)));
  app.post('/orders/:id/ship', async (request, response) => response.json(await shop.ship(request.params.id)));
  app.get('/orders/:id/history', async (request, response) => response.json(await shop.history(request.params.id)));
  app.post('/customers/:name/connection', async (request, response) => response.json(await shop.connect(request.params.name)));
  app.use((error, _request, response, _next) => {
    response.status(statusOf(error)).json({ message: error.message });
  });
  return app;
}

function statusOf(error) {
  if (error instanceof RefusedError) return error.status;
  if (error instanceof WebhookVerificationError) return 400;
  return error instanceof PlatformError ? 502 : (error.status ?? 500);
}
