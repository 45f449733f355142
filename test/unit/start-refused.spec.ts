import { Deployment, freePort } from '../support/process.js';

describe('a start that cannot succeed', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
  });
  afterAll(() => deployment.remove());

  it.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535'],
    [{ SECRET_KEY: 'short' }, 'SECRET_KEY must be 32 bytes or more'],
    [{ BOOTSTRAP_API_KEY: 'mine' }, 'BOOTSTRAP_API_KEY must be a key as printed by'],
    [{ DATABASE_URL: 'postgresql://localhost:1/none' }, 'DATABASE_URL names a database that cannot be opened'],
    [{ DATABASE_URL: 'file:/dev/null/x.db' }, 'DATABASE_URL names a database that cannot be opened'],
  ])('with %j says why in one line', async (settings, message) => {
    const server = deployment.start(settings as Record<string, string>);
    expect(await server.exited).toBe(1);
    const lines = server.output.trim().split('\n');
    expect(lines).toEqual([expect.stringContaining(`platform-services did not start: ${message}`)]);
  });

  it('on a port that is taken says so', async () => {
    const port = String(await freePort());
    const first = deployment.start({ PORT: port });
    await first.ready();
    const second = deployment.start({ PORT: port });
    expect(await second.exited).toBe(1);
    expect(second.output).toContain('PORT is in use by another program');
    await first.stop();
  });
});
