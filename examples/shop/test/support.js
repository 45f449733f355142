// The shop with a tenant of its own, on the server that all test files share.
import { startPlatform } from '@platform-services/testing';
import { createApp } from '../src/app.js';
import { createShop } from '../src/shop.js';

export const IMAGE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

export async function startShop(options) {
  const platform = await startPlatform(options);
  const tenant = await platform.newTenant();
  const shop = await createShop({ url: tenant.address, key: tenant.key });
  const server = createApp(shop).listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://localhost:${server.address().port}`;
  await shop.listen(`${address}/hooks`);

  async function send(method, path, body, contentType = 'application/json') {
    const response = await fetch(address + path, { method, body, headers: body ? { 'content-type': contentType } : {} });
    return { status: response.status, body: await response.json() };
  }
  return {
    platform,
    tenant,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body && JSON.stringify(body)),
    putImage: (id) => send('PUT', `/products/${id}/image`, IMAGE, 'image/png'),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await shop.close();
      await platform.stop();
    },
  };
}
