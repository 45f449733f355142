// @nightly: a node is killed again and again
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from './support/api.js';
import { input } from './support/document-log.js';
import { Deployment } from './support/process.js';

const KILLER = fileURLToPath(new URL('./support/kill-at.mjs', import.meta.url));

describe('a node killed while it writes records', () => {
  it('retains every acknowledged record, and no part of a batch', async () => {
    const deployment = await Deployment.create({ PORT: '0' });
    try {
      let server = deployment.start();
      let address = await server.ready();
      const key = (await server.until(/psk_\w+(?=\n)/))!;
      const answered: string[] = [];
      const SIZE = 500;
      for (let round = 0; round < 3; round++) {
        const api = new Api(address, 'document-log', key);
        const write = async (writer: number) => {
          for (let batch = 0; ; batch++) {
            const documentId = `${round}-${writer}-${batch}`;
            const records = Array.from({ length: writer === 0 ? 1 : SIZE }, () => input({ documentId }));
            const done = await api
              .ask('mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}', { input: records })
              .catch(() => undefined);
            if (!done) return;
            answered.push(documentId);
          }
        };
        const writers = [0, 1, 2, 3].map(write);
        const enough = answered.length + 12 * (round + 1);
        while (answered.length < enough) await new Promise((done) => setTimeout(done, 5));
        await server.stop('SIGKILL');
        await Promise.all(writers);
        server = deployment.start();
        address = await server.ready();
      }
      const response = await fetch(`${address}/document-log/export`, { headers: { 'x-api-key': key } });
      const counts = new Map<string, number>();
      for (const { documentId } of (await response.text())
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)))
        counts.set(documentId, (counts.get(documentId) ?? 0) + 1);
      for (const documentId of answered) expect([documentId, counts.has(documentId)]).toEqual([documentId, true]);
      for (const [documentId, count] of counts)
        expect([documentId, count]).toEqual([documentId, documentId.includes('-0-') ? 1 : SIZE]);
    } finally {
      await deployment.remove();
    }
  });

  it('before and after it wrote a block seals everything later, and the log verifies', async () => {
    const deployment = await Deployment.create({ PORT: '0' });
    const plan = join(deployment.dataDir, 'kill-plan');
    const start = () => deployment.start({ KILL_PLAN: plan, NODE_OPTIONS: `--import ${KILLER}` });
    try {
      let server = start();
      let api = new Api(await server.ready(), 'document-log', (await server.until(/psk_\w+(?=\n)/))!);
      const write = (records: number) =>
        api.ask('mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}', {
          input: Array.from({ length: records }, () => input({ documentId: 'killed' })),
        });
      const sealed = async () => {
        const state = async () => (await api.ask('{verifyLogs{valid reason checkedRecords unsealedRecords}}')).verifyLogs;
        while ((await state()).unsealedRecords > 0) await new Promise((done) => setTimeout(done, 50));
        return state();
      };
      await write(3);
      await sealed();
      for (const [moment, records] of [
        ['before', 12],
        ['after', 21],
      ] as const) {
        writeFileSync(plan, `2 ${moment}\n`); // the answer is the first step, the block of the next second the other
        await write(4);
        expect(await server.exited).toBe('SIGKILL');
        rmSync(plan);
        await deployment.releaseLeases();
        server = start();
        api = new Api(await server.ready(), 'document-log', api.key);
        await write(5);
        expect(await sealed()).toEqual({ valid: true, reason: null, checkedRecords: records, unsealedRecords: 0 });
      }
    } finally {
      await deployment.remove();
    }
  });
});
