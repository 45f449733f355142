import { uuidv7 } from '../../src/common/base/ids.js';
import { Signing } from '../../src/common/signing/signer.js';
import { Config } from '../../src/common/config/config.js';
import { returnPathOf, ReturnPaths } from '../../src/modules/email/bounces/return-paths.js';

const DOMAIN = 'bounces.sender.example';
const [A, B] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
const SMTP = { SMTP_URL: 'smtp://mail', EMAIL_FROM: 'a@sender.example' };
const paths = (secrets: [Buffer, ...Buffer[]] = [A], settings: object = SMTP) =>
  new ReturnPaths(Config.read({ RETURN_PATH_DOMAIN: DOMAIN, ...settings }), new Signing(...secrets));
const pathOf = (emailId: string, position: number, made = paths()) =>
  made.envelopesOf(emailId, [{ position, address: 'ann@example.com' }])[0]!.returnPath!;

describe('a return path', () => {
  it('names a recipient of a message, in up to 64 characters before the @, unaffected by letter case', () => {
    for (const position of [0, 1, 49]) {
      const emailId = uuidv7();
      const path = pathOf(emailId, position);
      expect(path).toMatch(/^bounce-[a-z2-7]{48}@bounces\.sender\.example$/);
      for (const spelt of [path, path.toUpperCase()]) expect(paths().recipientAt(spelt)).toEqual({ emailId, position });
      expect(paths().recipientIn(`To: <${path.toUpperCase()}>`)).toEqual({ emailId, position });
    }
  });

  it('is recognised after a change of SECRET_KEY, and by a server that has another domain now', () => {
    const emailId = uuidv7();
    const path = pathOf(emailId, 3);
    expect(paths([B, A]).recipientAt(path)).toEqual({ emailId, position: 3 });
    expect(paths([B]).recipientAt(path)).toBeUndefined();
    expect(paths([A], { ...SMTP, RETURN_PATH_DOMAIN: 'b.example' }).recipientIn(path)).toEqual({ emailId, position: 3 });
  });

  it('is refused with any character changed, in another domain, or as something else', () => {
    const path = pathOf(uuidv7(), 0);
    const [local = ''] = path.split('@');
    for (let at = 0; at < local.length; at++) {
      const changed = local.slice(0, at) + (local[at] === 'b' ? 'c' : 'b') + local.slice(at + 1);
      expect(paths().recipientAt(`${changed}@${DOMAIN}`)).toBeUndefined();
      expect(paths().recipientIn(`${changed}@${DOMAIN}`)).toBe(changed.startsWith('bounce-') ? 'forged' : undefined);
    }
    for (const other of [
      `${local}@evil.example`,
      `${local}a@${DOMAIN}`,
      local,
      `${local}@${DOMAIN}@${DOMAIN}`,
      '',
      '@',
      `x${path}`,
    ])
      expect(paths().recipientAt(other)).toBeUndefined();
  });

  it('is in the domain of the sender if that leads here, and counts there and at RETURN_PATH_DOMAIN', () => {
    const emailId = uuidv7();
    const own = returnPathOf('shop.example');
    const [envelope] = paths().envelopesOf(emailId, [{ position: 2, address: 'ann@example.com' }], own);
    expect(envelope!.returnPath).toMatch(/^bounce-[a-z2-7]{48}@ps-bounces\.shop\.example$/);
    const [local] = envelope!.returnPath!.split('@');
    for (const domain of [own, own.toUpperCase(), DOMAIN])
      expect(paths().recipientAt(`${local}@${domain}`)).toEqual({ emailId, position: 2 });
    expect(paths().recipientIn(`<${envelope!.returnPath}>`)).toEqual({ emailId, position: 2 });
    for (const domain of ['shop.example', 'ps-bounces', 'ps-bounces.', 'x.ps-bounces.shop.example', 'ps-bounces.example'])
      expect(paths().recipientAt(`${local}@${domain}`)).toBeUndefined();
    expect(paths([B]).recipientAt(envelope!.returnPath!)).toBeUndefined();
    expect(
      paths([A], { ...SMTP, RETURN_PATH_DOMAIN: '' }).envelopesOf(emailId, [{ position: 0, address: 'a@b.c' }], own),
    ).toEqual([{ recipients: ['a@b.c'] }]);
  });

  it('is found among forged ones, of which a few are tried', () => {
    const emailId = uuidv7();
    const forged = (count: number) =>
      Array.from({ length: count }, (_, n) => `bounce-${'a'.repeat(46)}${String.fromCharCode(97 + n)}b@x`).join();
    expect(paths().recipientIn(forged(19) + pathOf(emailId, 0))).toEqual({ emailId, position: 0 });
    expect(paths().recipientIn(forged(20) + pathOf(emailId, 0))).toBe('forged');
    expect(paths().recipientIn('bounce-a@x')).toBeUndefined();
  });

  it('is unique per recipient if mails are sent with RETURN_PATH_DOMAIN, and absent otherwise', () => {
    const both = [0, 1].map((position) => ({ position, address: `p${position}@example.com` }));
    expect(
      paths()
        .envelopesOf(uuidv7(), both)
        .map(({ recipients }) => recipients),
    ).toEqual([['p0@example.com'], ['p1@example.com']]);
    const one = [{ recipients: ['p0@example.com', 'p1@example.com'] }];
    expect(paths([A], { ...SMTP, RETURN_PATH_DOMAIN: '' }).envelopesOf(uuidv7(), both)).toEqual(one);
    expect(paths([A], {}).envelopesOf(uuidv7(), both)).toEqual(one); // mails become files
  });
});
