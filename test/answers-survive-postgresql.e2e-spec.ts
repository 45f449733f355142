// @only postgresql: the faults are those of a server
// @nightly: backends are terminated and answers swallowed for longer than the limits of the server
import { describeWithOwnPostgres } from './support/postgres.js';
import { MixedLoad } from './support/mixed-load.js';
import { Deployment } from './support/process.js';

describeWithOwnPostgres('everything answered with 200 is stored', () => {
  it('after a kill', async () => {
    const load = await MixedLoad.create();
    const deployment = await Deployment.create({ PORT: '0', ...load.settings });
    const server = deployment.start();
    const address = await server.ready();
    const key = (await server.until(/psk_\w+(?=\n)/))!;
    await load.start(address, key);
    await load.progress(5);
    await server.stop('SIGKILL');
    load.lead(await deployment.start().ready());
    await load.progress(5);
    await load.expectAllStored();
    await load.remove();
    await deployment.remove();
  });
});
