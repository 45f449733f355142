import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { createTransport } from 'nodemailer';
import { ALGORITHMS, DomainKeyMaker } from '../../src/modules/email/domains/domain-keys.js';
import { signedMail, type SigningKey } from '../../src/modules/email/domains/signed-mail.js';
import { mailOptions, openTransporter } from '../../src/modules/email/transport/mail-options.js';
import { openDkim, signaturesOf } from '../support/dkim.js';
import { needing, program } from '../support/needs.js';
import { MAIL } from '../support/smtp.js';

/** The example of RFC 8463, A.3, with the signature of Ed25519 alone. */
const RFC_8463 = `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
`.replaceAll('\n', '\r\n');
const RFC_8463_RECORD = {
  name: 'brisbane._domainkey.football.example.com',
  value: 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
};
const HEAD = 'From: a@sender.example\r\nSubject: s\r\n\r\n';

let keys: SigningKey[];
let records: { name: string; value: string }[];
beforeAll(async () => {
  const made = await new DomainKeyMaker().make('tenant');
  const domain = 'sender.example';
  keys = ALGORITHMS.map((algorithm) => {
    const key = Buffer.from(made.privateKeys[algorithm], 'base64');
    return { algorithm, domain, selector: algorithm, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
  });
  records = ALGORITHMS.map((algorithm) => ({
    name: `${algorithm}._domainkey.${domain}`,
    value: `v=DKIM1; k=${algorithm}; p=${made.publicKeys[algorithm]}`,
  }));
});

const hashOf = (mail: Buffer) => /bh=([^;]+);/.exec(signaturesOf(mail).signatures[0]!)![1];
const outcomes = async (mail: Buffer) => (await openDkim(mail, records)).map((said) => said.includes(') succeeded'));

const itWithVerifier = needing(program('opendkim')).it;

itWithVerifier('a signed mail passes a verifier that accepts the example of RFC 8463, and no changed one does', async () => {
  const verdict = async (mail: string) => (await openDkim(Buffer.from(mail), [RFC_8463_RECORD]))[0];
  expect(await verdict(RFC_8463)).toContain(') succeeded');
  expect(await verdict(RFC_8463.replace('hungry', 'angry'))).toContain('failed');
  expect(await verdict(RFC_8463.replace('dinner', 'lunch'))).toContain('failed');
});

it('a signed mail leaves every byte unchanged, and is hashed like by another signer, however it is split', async () => {
  const pieces = fc.constantFrom(' ', '\t', '\r\n', '\r\n\r\n', '\n', 'a', '.', 'word ', '\0', 'é', '\u00a0', 'x'.repeat(1_000));
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 40 }), sizes, async (body, lengths) => {
      const mail = Buffer.from(HEAD + body.join(''));
      const chunks: Buffer[] = [];
      for (let at = 0, index = 0; at < mail.length; index++) {
        const length = lengths[index % lengths.length]!;
        chunks.push(mail.subarray(at, (at += length)));
      }
      const signed = Buffer.concat(await Readable.from(signedMail(Readable.from(chunks), keys.slice(0, 1))).toArray());
      expect(signaturesOf(signed).rest).toBe(mail.toString('latin1'));
      const { domain: domainName, selector: keySelector, privateKey } = keys[0]!;
      const dkim = { domainName, keySelector, privateKey } as never;
      const transport = createTransport({ streamTransport: true, buffer: true, dkim });
      const raw = { raw: mail, envelope: { from: 'a@sender.example', to: 'b@sender.example' } };
      // Nodemailer ends the last line of a mail, as a mail server gets it.
      const other = (await transport.sendMail(raw)).message as Buffer;
      expect(hashOf(signed)).toBe(hashOf(other));
    }),
    { numRuns: 300 },
  );
});

itWithVerifier(
  'a signature covers the headers that a reader sees and those that unsubscribe, against changes and additions',
  async () => {
    const headers = [
      { name: 'List-Unsubscribe', value: '<https://sender.example/unsubscribe?token=abc>' },
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
      { name: 'List-Id', value: `Größe ${'word '.repeat(60)}<news.sender.example>` },
      { name: 'References', value: Array(20).fill('<a@b.example>').join(' ') },
    ];
    const composer = openTransporter({ streamTransport: true, newline: 'windows' });
    const options = mailOptions({ ...MAIL, subject: 'Größe', headers, signer: (parts) => signedMail(parts, keys) });
    const mail = Buffer.concat(await (await composer.sendMail(options)).message.toArray());
    expect(await outcomes(mail)).toEqual([true, true]);
    const { signatures, rest } = signaturesOf(mail);
    const altered = (change: (text: string) => string) => outcomes(Buffer.from(signatures.join('') + change(rest), 'latin1'));
    for (const name of ['From', 'To', 'Subject', 'Date', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'List-Id', 'References']) {
      const changed = altered((text) => text.replace(new RegExp(`^${name}: `, 'm'), '$&x'));
      expect([name, await changed]).toEqual([name, [false, false]]);
    }
    for (const name of ['Subject', 'To', 'Date', 'Content-Type']) {
      const added = altered((text) => `${name}: another\r\n${text}`);
      expect([name, await added]).toEqual([name, [false, false]]);
    }
    // Folding and blanks are what a mail server may change.
    expect(await altered((text) => text.replace('Subject: ', 'SUBJECT :\t\r\n '))).toEqual([true, true]);
  },
);

it('a signed mail fails with the error of its source, and reads no further once nobody reads it', async () => {
  const composer = openTransporter({ streamTransport: true });
  const compose = async (content: Readable) => {
    const attachments = [{ name: 'a', contentType: 'text/plain', contentId: null, content }];
    const { message } = await composer.sendMail(
      mailOptions({ ...MAIL, attachments, signer: (parts) => signedMail(parts, keys) }),
    );
    return message as Readable;
  };
  const broken = new Readable({ read: () => broken.destroy(new Error('the store is down')) });
  await expect((await compose(broken)).toArray()).rejects.toThrow('the store is down');
  const endless = new Readable({
    read: () => {
      endless.emit('begun');
      setImmediate(() => endless.push('x'.repeat(1_000)));
    },
  });
  const begun = once(endless, 'begun');
  const closed = once(endless, 'close');
  const message = await compose(endless);
  message.resume();
  await begun;
  message.destroy();
  await closed;
});
