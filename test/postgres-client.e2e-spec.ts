// @only postgresql: SQLite has no connection
import { BoundedClient } from '../src/common/database/postgresql/postgres-client.js';
import { hold } from './support/time.js';

const SILENCE_MS = 200;

it('an answer that arrived while the process was busy for longer than the time limit counts', async () => {
  const client = new BoundedClient({ connectionString: process.env.TEST_DATABASE_URL }, SILENCE_MS);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const begun = client.begin();
    hold(2 * SILENCE_MS);
    await begun;
  } finally {
    client.hangUp();
  }
});

it('a connection does not compile statements, which takes longer than to run them', async () => {
  const client = new BoundedClient({ connectionString: process.env.TEST_DATABASE_URL });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.begin();
    expect((await pgQuery(client, 'SHOW jit')).rows).toEqual([{ jit: 'off' }]);
  } finally {
    client.hangUp();
  }
});

const pgQuery = (client: BoundedClient, text: string) => client.query(text) as unknown as Promise<{ rows: unknown[] }>;
