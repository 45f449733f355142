import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { TestServer } from '../../support/server.js';

describe('Studio', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.address}${path}`, { headers, redirect: 'manual' });

  it('is the redirect target of a browser at /, and a program still gets 404', async () => {
    const led = await ask('/', { accept: 'text/html,*/*;q=0.8' });
    expect([led.status, led.headers.get('location')]).toEqual([302, '/studio']);
    const refused = await ask('/', { accept: 'application/json' });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
  });

  it('is the same page at every URL within it, under a policy that allows this server only', async () => {
    const [first, ...others] = await Promise.all(
      ['/studio', '/studio/', '/studio/files/17', '/studio/log?id=1'].map((path) => ask(path)),
    );
    const page = await first!.text();
    expect(page).toContain('<div id="root">');
    for (const other of others) expect([other.status, await other.text()]).toEqual([200, page]);
    const policy = first!.headers.get('content-security-policy')!;
    const assets = `${new URL(server.address).host}/studio/assets/`;
    expect(policy).toContain(
      `default-src 'none'; script-src ${assets}; style-src ${assets}; font-src ${assets}; worker-src ${assets}; connect-src 'self'`,
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect([first!.headers.get('cache-control'), first!.headers.get('referrer-policy')]).toEqual(['no-cache', 'no-referrer']);
  });

  it('names the host that the browser requested, and no other text of a header, in its policy', async () => {
    const policyFor = async (host: string) => (await raw('/studio', { host })).headers['content-security-policy'];
    const own = new URL(server.address).host;
    const sources = async (host: string) => /script-src ([^;]*);/.exec(String(await policyFor(host)))?.[1];
    expect(await sources('studio.example.com')).toBe(`studio.example.com/studio/assets/ ${own}/studio/assets/`);
    for (const host of ['[::g]:3000', '[1.2.3.4]']) expect([host, await sources(host)]).toEqual([host, `${own}/studio/assets/`]);
    for (const host of ['*', "a 'unsafe-inline'", 'a;script-src', "[::1] 'unsafe-inline'", '[::1];script-src']) {
      expect([host, (await raw('/studio', { host })).status]).toEqual([host, 400]);
    }
  });

  it('allows the scripts of its origin at an IPv6 address, for which a policy can name no path', async () => {
    for (const host of ['[::1]:3000', '[2001:DB8::1]', '[::ffff:127.0.0.1]:80']) {
      const policy = String((await raw('/studio', { host })).headers['content-security-policy']);
      expect([host, policy]).toEqual([
        host,
        expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; worker-src"),
      ]);
    }
  });

  it('is sent compressed as the browser accepts it: by Brotli, by gzip, or not', async () => {
    const page = await (await ask('/studio')).text();
    const [, name] = /src="(\/studio\/assets\/[^"]+\.js)"/.exec(page)!;
    const sizes: number[] = [];
    for (const [accepted, sent] of [
      ['gzip, deflate, br;q=0.5, zstd', 'br'],
      ['gzip, br;q=0', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { headers, body } = await raw(name!, { 'accept-encoding': accepted });
      expect([accepted, headers['content-encoding'], headers['vary']]).toEqual([accepted, sent, 'accept-encoding']);
      sizes.push(Number(headers['content-length'] ?? body.length));
    }
    expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
  });

  it('shows the frame of a page until its scripts have loaded', async () => {
    const page = await (await ask('/studio')).text();
    expect(page).toMatch(/<div id="root">\s*<div class="shell-shell" role="status" aria-label="Opening Studio">/);
  });

  it('has files that browsers cache for good, since their names change with their content', async () => {
    const page = await (await ask('/studio')).text();
    const [, name] = /src="(\/studio\/assets\/[^"]+\.js)"/.exec(page)!;
    const script = await ask(name!);
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shows foreign HTML in a frame with an origin of its own, without scripts or requests', async () => {
    const policy = (await ask('/studio/frame.html')).headers.get('content-security-policy')!;
    expect(policy).toMatch(/script-src 'sha256-[\w+/]+=*'/);
    expect(policy).toContain('sandbox allow-scripts');
    expect(policy).not.toContain("script-src 'self'");
    expect(policy).not.toContain('connect-src');
  });

  it.each([
    '/studio/assets/../../package.json',
    '/studio/assets/%2e%2e/%2e%2e/package.json',
    '/studio/assets/..%5c..%5cpackage.json',
    '/studio/assets/',
    '/studio/assets/nothing.js',
    '/studio/assets/constructor',
  ])('serves no file for %s', async (path) => {
    const { status, body } = await raw(path);
    expect(status === 404 || body.includes('<div id="root">')).toBe(true);
    expect(body).not.toContain('"dependencies"');
  });

  /** Sends a path and headers as they are; fetch would resolve the one and replace the host. */
  const raw = (path: string, headers: OutgoingHttpHeaders = {}) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      const { hostname, port } = new URL(server.address);
      const asked = request({ hostname, port, path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts).toString() }),
        );
      });
      asked.on('error', reject).end();
    });
});
