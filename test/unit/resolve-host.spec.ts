import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolveHost } from '../../src/common/outbound/resolve-host.js';

describe('addresses of a host', () => {
  it('are those of the hosts file if no name server knows the host', async () => {
    const addresses = (await resolveHost('localhost')).map(({ address }) => address);
    expect(addresses.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(addresses.length).toBeGreaterThan(0);
  });

  it('delay no files and no other names while a name server is silent', async () => {
    const silent = createSocket('udp4');
    silent.bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const resolver = new Resolver({ timeout: 1_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${silent.address().port}`]);
    let ended = 0;
    const slow = Array.from({ length: 50 }, (_, index) =>
      resolveHost(`host${index}.example`, resolver).catch((error: NodeJS.ErrnoException) => {
        ended++;
        return error.code;
      }),
    );
    await Promise.all([readFile('package.json'), lookup('localhost')]);
    expect(ended).toBe(0);
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['ETIMEOUT']));
    silent.close();
  });
});
