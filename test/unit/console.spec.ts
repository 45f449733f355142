import { ENDPOINTS } from '../../src/common/auth/scopes.js';
import { CONSOLE_EXAMPLES } from '../../src/common/graphql/console/console-examples.js';
import { itInBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

itInBrowser(
  'the five consoles ask for the key alone, share it for the session, open with an example that works, and keep what is typed',
  {
    program: 'console.mjs',
    timeoutMs: 180_000,
    withServer: true,
  },
);

describe('the example of each console', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it.each(ENDPOINTS)('of %s has operations that all work for a new tenant', async (service) => {
    const api = await server.api(service);
    const { query } = CONSOLE_EXAMPLES[service];
    const names = [...query.matchAll(/^(?:query|mutation) (\w+)/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(1);
    for (const operationName of names) {
      const response = await fetch(`${server.address}/${service}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': api.key! },
        body: JSON.stringify({ query, operationName }),
      });
      expect(await response.json()).toEqual({ data: expect.anything() });
    }
  });
});
