// node testcontainers.mjs IMAGE, in a folder where the package testcontainers is installed: starts the image by it, as the tests of an
// application do, and uses what the testing package gives them.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startPlatformIn } from '../../clients/testing/dist/testcontainers.js';

const { GenericContainer } = createRequire(join(process.cwd(), 'package.json'))('testcontainers');
const platform = await startPlatformIn(new GenericContainer(process.argv[2]), { timeoutMs: 120_000 });
try {
  const tenant = await platform.newTenant();
  const { createFile } = await tenant.request('file-management', 'mutation{createFile(input:{expiresIn:600}){id uploadUrl}}');
  assert.equal((await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from('hello') })).status, 200);
  const query = `{file(ID:"${createFile.id}"){status downloadUrl}}`;
  const { file } = await tenant.request('file-management', query);
  assert.equal(await (await fetch(file.downloadUrl)).text(), 'hello');

  await tenant.request('email', 'mutation{sendMessage(input:{to:{address:"ann@example.com"},subject:"Hi",textBody:"Ann"}){id}}');
  assert.equal((await tenant.nextMail({ to: 'ann@example.com', timeoutMs: 30_000 })).subject, 'Hi');

  const headers = { 'x-testing-key': platform.testingKey };
  const { offsetMs } = await (await fetch(`${platform.address}/testing/clock`, { headers })).json();
  assert.equal(offsetMs, 0);
  await platform.clock.advance('11m');
  assert.equal((await fetch(file.downloadUrl)).ok, false);
  await platform.faults.break('store');
  assert.equal((await platform.container.exec(['id', '-un'])).output.trim(), 'node');
} finally {
  await platform.stop();
}
await assert.rejects(fetch(`${platform.address}/health/live`));
