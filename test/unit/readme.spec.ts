// @nightly: types all blocks of the pages into two shells
import { CHROMIUM } from '../support/chromium.js';
import { needing, program } from '../support/needs.js';
import { blocksOf, Reader, SHELLS } from '../support/reader.js';

const PAGES = [
  'README',
  'rest',
  'file-management',
  'document-rendering',
  'email',
  'push',
  'document-log',
  'run',
  'upgrade',
  'admin',
];
const blocks = PAGES.flatMap((page) => blocksOf(page));
/** How often each shell types them. Once shows whether the second expands alike; what is left from before, the first finds. */
const TIMES = { bash: 2, zsh: 1 };
/** Each run shows these, in this order. */
const SHOWN = [
  '"status":"done"',
  '{"data":{"version":',
  'Ann &lt;Smith&gt;',
  '"status":"PENDING"',
  '"itemId"',
  '"raw":"paid"',
  '{"sendMessage":{"id"',
  'psk_',
  '"status":"done"',
  '<p>120 EUR</p>',
  '"status":"PENDING"',
  '"itemId"',
  '{"id":"',
  '{"nextToken":',
  '"contentType":"application/json"',
  '"status": "done"',
  'byte for byte the same',
  '"contentLength": 12000000',
  '"subject": "Invoice 2026-17"',
  '"pages":1',
  '"status": "SENT"',
  'Content-Disposition: attachment',
  '"name":"2026-17.pdf","contentType":"application/pdf"',
  '"address":"shop@example.com"',
  '"message":"Your order has shipped"',
  '{"disconnectRecipient":1}',
  'documentId,',
  '"valid": true',
  '"status":"ok"',
  'psk_',
  'acme',
  'stored-bytes\t10737418240',
  'psk_',
  '{"name":"files","limit":1000,"used":0,"isOwn":true}',
  '["email-api:query:messages"]',
  'SUSPENDED',
  'ACTIVE',
  'DELETING',
  '"deleteTenant"',
];

describe('the commands of README and docs', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.start();
  });
  afterAll(() => reader.stop());

  const inBash = needing(...['bash', 'curl', 'jq'].map(program)).it;
  inBash('begin on the email page with a block that needs no other page', async () => {
    const { shown, complaints } = await reader.type('bash', blocksOf('email').slice(0, 1));
    expect(complaints).toEqual([]);
    expect(shown).toContain('"status": "SENT"');
    expect(shown).toContain('Content-Disposition: attachment');
  });

  for (const shell of Object.keys(SHELLS) as (keyof typeof SHELLS)[]) {
    const typed = needing(...[shell, 'curl', 'jq', CHROMIUM].map(program));
    typed.it(`run as printed, ${TIMES[shell] === 2 ? 'twice in a row ' : ''}in ${shell}`, () => check(shell));
  }

  async function check(shell: keyof typeof SHELLS): Promise<void> {
    const { shown, complaints } = await reader.type(shell, blocks, TIMES[shell]);
    expect(complaints).toEqual([]);
    expect(shown).not.toMatch(/"errors":|^null$/m);
    let from = 0;
    for (let time = 1; time <= TIMES[shell]; time++) {
      for (const text of SHOWN) {
        const found = shown.indexOf(text, from);
        expect({ time, text, isShown: found >= from }).toEqual({ time, text, isShown: true });
        from = found;
      }
    }
  }
});
