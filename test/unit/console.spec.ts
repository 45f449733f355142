import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema, parse, validate } from 'graphql';
import { consoleExamples, consolePage } from '../../scripts/console-page.mjs';
import { root } from '../../scripts/prepare.mjs';
import { ENDPOINTS, SERVICES } from '../../src/common/auth/scopes.js';
import { itInBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';
import { until } from '../support/websockets.js';

itInBrowser(
  'the five consoles ask for one key, share it for the session, open with a working example, and preserve what is typed',
  {
    program: 'console.mjs',
    withServer: true,
  },
);

const EXAMPLES = consoleExamples();

describe('the console page', () => {
  const page = consolePage();

  it('has a link to each tenant service, and an example for each endpoint', () => {
    const links = [...page.matchAll(/<a href="..\/([\w-]+)\/graphql">\w[^<]*<\/a>/g)].map(([, service]) => service!);
    expect(links).toEqual(SERVICES);
    expect(Object.keys(EXAMPLES).sort()).toEqual([...ENDPOINTS].sort());
  });

  it.each(ENDPOINTS)('has operations of %s that its schema allows', (service) => {
    const schema = buildSchema(readFileSync(join(root, 'schema', `${service}.graphql`), 'utf8'));
    expect(validate(schema, parse(EXAMPLES[service]!))).toEqual([]);
  });
});

describe('the example of a console', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it.each(ENDPOINTS)('of %s has operations that all work for a new tenant', async (service) => {
    const api = await server.api(service);
    const query = EXAMPLES[service]!;
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

  it('is in a page that uses a few megabytes of a server, however large GraphiQL is', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const inUse = () => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = inUse();
    const sizes = [];
    for (const encoding of ['gzip', 'identity']) {
      const headers = { accept: 'text/html', 'accept-encoding': encoding };
      const page = await fetch(`${server.address}/${ENDPOINTS[0]}/graphql`, { headers });
      sizes.push((await page.arrayBuffer()).byteLength);
    }
    expect(Math.min(...sizes)).toBeGreaterThan(2 ** 20);
    await until(() => inUse() - before < 8 * 2 ** 20, 10_000); // buffers are let go by a later collection
  });
});
