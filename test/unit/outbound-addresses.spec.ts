import { Config } from '../../src/common/config/config.js';
import { OutboundHttp } from '../../src/common/outbound/outbound-http.js';

/** Never asked: literal addresses are judged by their text. */
const http = new OutboundHttp(Config.read({ WEBHOOK_ALLOW_HTTP: 'true' }), () => Promise.reject(new Error('was resolved')));

/** Inner addresses in each way in which a URL can spell them. */
const INNER = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '127.255.255.254',
  '2130706433', // decimal
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1', // octal
  '017700000001',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.0.1',
  '169.254.169.254', // metadata of most clouds
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '168.63.129.16', // metadata of Azure
  '100.100.100.200', // metadata of Alibaba, in 100.64/10
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.192', // metadata of Oracle
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]', // IPv4-compatible
  '[::ffff:127.0.0.1]', // IPv4-mapped
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]', // IPv4-translated
  '[64:ff9b::127.0.0.1]', // NAT64
  '[64:ff9b::8.8.8.8]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]', // 6to4
  '[2002:808:808::1]',
  '[2001:0:7f00:1::]', // Teredo
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00::1]',
  '[fd00:ec2::254]', // metadata of AWS
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[5f00::1]',
];

/** URLs that are refused wherever they lead. */
const MALFORMED: [string, RegExp][] = [
  ['', /^must begin with https:\/\/ or http:\/\/$/],
  ['example.com/hooks', /^must begin/],
  ['//example.com', /^must begin/],
  ['file:///etc/passwd', /^must begin/],
  ['ftp://example.com', /^must begin/],
  ['gopher://example.com:25/', /^must begin/],
  ['javascript:alert(1)', /^must begin/],
  ['data:text/plain,x', /^must begin/],
  ['unix:/run/docker.sock', /^must begin/],
  ['http+unix://%2Frun%2Fdocker.sock/', /^must begin/],
  ['https:example.com', /^must begin/],
  [' https://example.com', /^must begin/],
  ['https://', /^must be a URL/],
  ['https://exa mple.com', /^must be a URL/],
  ['https://example.com/\r\nHost: inner', /^must be a URL/],
  ['https://example.com\t.inner', /^must be a URL/],
  ['https:\\\\example.com', /^must begin/],
  ['https://example.com\\@inner/', /^must be a URL/],
  ['https://example.com:70000', /^must be a URL/],
  ['https://1.2.3.4.5', /^must be a URL/],
  ['https://[fe80::1%25eth0]/', /^must be a URL/],
  ['https://user@example.com', /^must have no user or password$/],
  ['https://user:secret@example.com', /^must have no user or password$/],
  ['https://@example.com', /^must have no user or password$/],
  ['https://:@example.com', /^must have no user or password$/],
  ['https://example.com@10.0.0.1/', /^must have no user or password$/],
  ['https://example.com/#part', /^must have no fragment/],
  ['https://example.com/#', /^must have no fragment/],
  [`https://example.com/${'a'.repeat(1_981)}`, /^must have at most 2,000 characters$/],
];

describe('a URL that a tenant provides', () => {
  it.each(INNER)('is refused at %s, with both schemes, any port and any path', async (host) => {
    for (const url of [`https://${host}`, `http://${host}/`, `https://${host}:8443/a?b=c`]) {
      expect(http.problemOf(url)).toBe('must not lead to a private, local or reserved address');
      const request = http.send({ tenantId: 't', url, headers: {}, body: '', timeoutMs: 5_000, maxAnswerBytes: 0 });
      await expect(request).rejects.toThrow('the URL must not lead to a private, local or reserved address');
    }
  });

  it.each(MALFORMED)('is refused as %j', (url, problem) => {
    expect(http.problemOf(url)).toMatch(problem);
  });

  it.each([
    'https://example.com',
    'HTTPS://EXAMPLE.COM:8443/hooks?token=%23a@b',
    'http://example.com',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
    'https://localhost', // names are judged by the addresses that they have
    'https://database',
    'https://metadata.google.internal',
    'https://printer.local',
    `https://example.com/${'a'.repeat(1_980)}`,
  ])('is accepted as %j', (url) => {
    expect(http.problemOf(url)).toBeUndefined();
  });

  it('begins with https:// unless WEBHOOK_ALLOW_HTTP is set', () => {
    const strict = new OutboundHttp(Config.read({}));
    expect(strict.problemOf('http://example.com')).toBe('must begin with https://');
    expect(strict.problemOf('https://example.com')).toBeUndefined();
  });

  it('may be inside the networks of WEBHOOK_ALLOWED_NETWORKS, however it is spelt, and nowhere else', () => {
    const config = Config.read({ WEBHOOK_ALLOWED_NETWORKS: '10.20.0.0/16, 127.0.0.1, fd12::/64, 64:ff9b::/96' });
    const inside = new OutboundHttp(config);
    for (const host of ['10.20.3.4', '127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '[fd12::5]', '[64:ff9b::1]', '8.8.8.8']) {
      expect([host, inside.problemOf(`https://${host}`)]).toEqual([host, undefined]);
    }
    for (const host of ['10.21.0.1', '127.0.0.2', '[::1]', '[fd12:0:0:1::5]', '169.254.169.254', '[2002:a14:304::]']) {
      expect([host, inside.problemOf(`https://${host}`)]).toEqual([host, expect.stringContaining('private')]);
    }
  });
});
