// @nightly: a node is killed
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { Deployment } from './support/process.js';
import { until } from './support/websockets.js';

const FILES = 1_300;
const AT_ONCE = 100;

it('a folder that was deleted in part is deleted completely after the node was killed', async () => {
  const deployment = await Deployment.create();
  try {
    const key = await deployment.keys('create', '--tenant', 'acme', '--scope', ALL_SCOPES);
    let server = deployment.start({ PORT: '0' });
    let api = new Api(await server.ready(), 'file-management', key);
    for (let from = 0; from < FILES; from += AT_ONCE) {
      const names = Array.from({ length: AT_ONCE }, (_, n) => `f${n}:createFile(input:{name:"many/${from + n}"}){id}`);
      await api.ask(`mutation{${names.join(' ')}}`);
    }
    await api.ask('mutation{createFile(input:{name:"kept"}){id}}');
    expect((await api.ask('mutation{deleteFiles(folder:"many/")}')).deleteFiles).toBe(1_000);
    await server.stop('SIGKILL');
    await deployment.releaseLeases();
    server = deployment.start({ PORT: '0' });
    api = new Api(await server.ready(), 'file-management', key);
    await until(async () => (await api.ask('{storageUsed{fileCount}}')).storageUsed.fileCount === 1);
    expect((await api.ask('{files{items{name}}}')).files.items).toEqual([{ name: 'kept' }]);
  } finally {
    await deployment.remove();
  }
});
