import type { AllTenants } from '../src/common/database/database.js';
import type { Service } from '../src/common/auth/scopes.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

declare const databaseKind: string;

const AUTHOR = { name: 'Ann', email: 'ann@example.com' };

describe('a row that was changed to an invalid value in the database', () => {
  let server: TestServer;
  let database: AllTenants;
  beforeAll(async () => {
    server = await TestServer.start();
    database = allRowsOf('no API damages a row', server);
  });
  afterAll(() => server.stop());

  const FILE = ['file-management', 'mutation($a:AuthorInput){createFile(input:{name:"a",author:$a}){id}}', '{files{items{id name author{name} attributes{name}}}}', 'File'] as const; // prettier-ignore
  const CSS = ['document-rendering', 'mutation($a:AuthorInput){createCss(input:{name:"a",text:"p{}",author:$a}){id}}', '{css{items{id name author{name}}}}', 'Css'] as const; // prettier-ignore
  const CASES: (readonly [Service, string, string, string, string, string])[] = [
    [...FILE, 'author', "'no JSON'"],
    [...FILE, 'attributes', "'no JSON'"],
    [...CSS, 'author', "'no JSON'"],
    ...(databaseKind === 'sqlite'
      ? ([
          [...FILE, 'name', "x'00ff'"],
          [...CSS, 'name', "x'00ff'"],
        ] as const)
      : []),
  ];
  it.each(CASES)(
    'of %s is refused with the reason, not as an internal error',
    async (service, create, list, table, column, value) => {
      const api = await server.api(service);
      const { errors: refused } = await api.send(create, { a: AUTHOR });
      expect(refused).toBeUndefined();
      await database.$executeRawUnsafe(`UPDATE "${table}" SET "${column}" = ${value}`);
      const { errors } = await api.send(list);
      expect(errors).toMatchObject([{ message: expect.stringContaining('changed in the database') }]);
      expect(errors![0]!.extensions.code).toBe('FAILED_PRECONDITION');
    },
  );
});
