import { readFileSync } from 'node:fs';
import { folderCircles } from '../../scripts/rules/circles.mjs';
import { crowdedFolders, MAX_FILES } from '../../scripts/rules/crowds.mjs';
import { checkMigrations, checkStamps } from '../../scripts/rules/migrations.mjs';
import { checkNames } from '../../scripts/rules/names.mjs';
import { findActions, findImages } from '../../scripts/rules/pins.mjs';
import { parse } from '../../scripts/rules/source.mjs';
import { checkTests } from '../../scripts/rules/tests.mjs';
import { findModules, findStyles } from '../../scripts/rules/styles.mjs';
import { findVersions } from '../../scripts/rules/versions.mjs';
import { findWords } from '../../scripts/rules/words.mjs';

const names = (path: string, text: string) => checkNames([parse(path, text)]);

describe('the rule of names', () => {
  it.each([
    ['src/files.service.ts', '@Injectable() export class FilesService {}'],
    ['src/file-sweeper.job.ts', '@Injectable() export class FileSweeper {}'],
    ['src/files.resolver.ts', '@Resolver() export class FilesResolver {}'],
    ['src/request-gate.ts', '@Injectable() export class RequestGate {}'],
    ['src/files.queries.ts', 'export function filesOf() {}'],
    ['src/row.ts', 'export class Row {}'],
  ])('accepts %s with %s', (path, text) => expect(names(path, text)).toEqual([]));

  it.each([
    ['src/files.ts', '@Injectable() export class FilesService {}', 'files.service.ts'],
    ['src/blocks.queries.ts', '@Injectable() export class Blocks {}', 'blocks.ts'],
    ['src/files.service.ts', '@Resolver() export class FilesResolver {}', 'files.resolver.ts'],
    ['src/page.ts', '@Injectable() export class Cursors {}', 'cursors.ts'],
  ])('reports %s with %s', (path, text, wanted) => expect(names(path, text).join()).toContain(`in a file named ${wanted}`));

  it('refuses Nest in queries', () => {
    expect(names('src/a.queries.ts', "import { Injectable } from '@nestjs/common';")).toEqual([
      'src/a.queries.ts:1 a .queries.ts file does not use Nest',
    ]);
  });
});

describe('the rule of folders', () => {
  const imports = (path: string, target: string, type = '') => parse(path, `import ${type} { x } from '${target}';`);

  it('allows folders to import types of each other', () => {
    expect(folderCircles([imports('src/a/one.ts', '../b/two.js'), imports('src/b/two.ts', '../a/other.js', 'type')])).toEqual([]);
  });

  it('reports two folders that import each other, also through a third', () => {
    const found = folderCircles([
      imports('src/a/one.ts', '../b/two.js'),
      imports('src/b/two.ts', '../c/three.js'),
      imports('src/c/three.ts', '../a/other.js'),
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('src/a, src/b, src/c');
  });

  it('reports a circle in common, whose rooms count with all folders in them', () => {
    const found = folderCircles([
      imports('src/common/database/sqlite/one.ts', '../../auth/two.js'),
      imports('src/common/auth/rates/three.ts', '../../database/sql/four.js'),
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('folders in a circle: src/common/auth, src/common/database');
    expect(found[0]).toContain('src/common/auth → src/common/database (three.ts)');
  });

  it('reports a folder in a circle with one inside it', () => {
    const found = folderCircles([imports('src/a/one.ts', './b/two.js'), imports('src/a/b/two.ts', '../three.js')]);
    expect(found.join()).toContain('folders in a circle: src/a, src/a/b');
  });

  it.each(["const x = await import('../a/one.js');", "export { x } from '../a/one.js';"])(
    'reports a circle closed by %s',
    (text) => expect(folderCircles([imports('src/a/one.ts', '../b/two.js'), parse('src/b/two.ts', text)])).toHaveLength(1),
  );

  it('accepts folders that import in one direction', () => {
    expect(folderCircles([imports('src/a/one.ts', '../b/two.js'), imports('src/b/two.ts', './three.js')])).toEqual([]);
    expect(folderCircles([imports('src/a/one.ts', './b/two.js'), imports('src/a/c/three.ts', '../b/two.js')])).toEqual([]);
  });

  it('reports a folder with more than 25 files, and counts those of its subfolders apart', () => {
    const files = (folder: string) => Array.from({ length: MAX_FILES }, (_, index) => parse(`${folder}/${index}.ts`, ''));
    expect(MAX_FILES).toBe(25);
    expect(crowdedFolders([...files('src/a'), ...files('src/a/b')])).toEqual([]);
    expect(crowdedFolders([...files('src/a'), parse('src/a/one-more.ts', '')]).join()).toContain('src/a has 26 files');
  });
});

describe('the rule of pins', () => {
  it('refuses an action by its tag', () => {
    const hash = 'a'.repeat(40);
    const text = `steps:\n  - uses: actions/checkout@${hash} # v4.3.1\n  - uses: ./local\n  - uses: docker/login-action@v3\n`;
    expect(findActions('a.yml', text)).toEqual(['a.yml must name docker/login-action@v3 by the hash of a commit']);
  });

  it('refuses an image by its tag, in a Dockerfile and in a compose file', () => {
    const digest = `@sha256:${'b'.repeat(64)}`;
    const dockerfile = `ARG NODE_IMAGE=node:24${digest}\nFROM \${NODE_IMAGE} AS build\nFROM debian:bookworm\n`;
    expect(findImages('Dockerfile', dockerfile)).toEqual([expect.stringContaining('must name debian:bookworm with its digest')]);
    const compose = `  image: \${APP_IMAGE:-platform-services}\n  image: \${A:-redis:8${digest}}\n  image: \${B:-postgres:17}\n`;
    expect(findImages('a.yml', compose)).toEqual([expect.stringContaining('must name postgres:17 with its digest')]);
  });
});

describe('the rule of migrations', () => {
  const judge = (sql: string, name = '20270101000000_more', release = '0.4.0') =>
    checkMigrations([{ provider: 'sqlite', name, sql }], release);

  it.each([
    'DROP TABLE "File"',
    'ALTER TABLE "File" DROP COLUMN "name"',
    'ALTER TABLE "File" RENAME COLUMN "name" TO "title"',
    'ALTER TABLE "File" RENAME TO "Files"',
    'ALTER TABLE "File" ADD COLUMN "size" INTEGER NOT NULL',
    'ALTER TABLE "File"\n  ADD COLUMN "a" TEXT NOT NULL DEFAULT \'\',\n  ADD COLUMN "b" TEXT NOT NULL',
    'ALTER TABLE "File" ALTER COLUMN "name" SET NOT NULL',
    'ALTER TABLE "File" ALTER COLUMN "name" TYPE INTEGER',
    'ALTER TABLE "File" ADD CONSTRAINT "known" CHECK ("name" <> \'\')',
    'CREATE UNIQUE INDEX "one" ON "File"("name")',
  ])('refuses what an old node cannot handle: %s', (sql) => expect(judge(`-- AlterTable\n${sql};`)).toHaveLength(1));

  it.each([
    'ALTER TABLE "File" ADD COLUMN "size" INTEGER',
    'ALTER TABLE "File" ADD COLUMN "size" INTEGER NOT NULL DEFAULT 0',
    'CREATE TABLE "New" ("id" TEXT NOT NULL); CREATE UNIQUE INDEX "one" ON "New"("id")',
    'DROP INDEX "few"; CREATE INDEX "more" ON "File"("name")',
    '-- DROP TABLE "File"\nUPDATE "File" SET "name" = NULL WHERE "name" = \'\'',
  ])('accepts what an old node does not notice: %s', (sql) => expect(judge(`${sql};`)).toEqual([]));

  it('refuses a stamp in the future', () => {
    const stamped = (name: string) => checkStamps([{ provider: 'sqlite', name }], new Date('2026-11-29T10:00:00Z'));
    expect(stamped('20261129100000_now')).toEqual([]);
    expect(stamped('20261129100001_later')).toEqual([
      'prisma/sqlite/migrations/20261129100001_later is stamped with a time to come: use 20261129100000 (UTC)',
    ]);
  });

  it('accepts a removal that names the first release that does without, once that is out', () => {
    const drop = 'ALTER TABLE "File" DROP COLUMN "name"';
    expect(judge(drop, '20270101000000_contract_0_4_0_drop_name')).toEqual([]);
    expect(judge(drop, '20270101000000_contract_0_4_1_drop_name')).toHaveLength(1);
    expect(judge(drop, '20270101000000_contract_drop_name')).toHaveLength(1);
  });
});

describe('the rule of tests', () => {
  const judge = (text: string, path = 'test/a.e2e-spec.ts') => checkTests([parse(path, text)]);

  it.each([
    "import { Database } from '../../src/common/database/database.js';",
    "import { type AllTenants, connectPrisma } from '../../src/common/database/database.js';",
    "const { Database } = await import('../../src/common/database/database.js');",
    "import { PrismaClient } from '../src/generated/sqlite/client.js';",
    "import Sqlite from 'better-sqlite3';",
    "import { DatabaseSync } from 'node:sqlite';",
    "import pg from 'pg';",
    "export { Client } from 'pg';",
    "const { Client } = require('pg');",
    "import { PrismaPg } from '@prisma/adapter-pg';",
  ])('reports a test that opens a database: %s', (text) => {
    expect(judge(text)).toEqual([
      expect.stringMatching(/^test\/a\.e2e-spec\.ts:1 opens a database: use the API, or test\/support\//),
    ]);
  });

  it.each([
    "import type { Database } from '../../src/common/database/database.js';",
    "import { type AllTenants, type Database } from '../../src/common/database/database.js';",
    "import type Sqlite from 'better-sqlite3';",
    "import { sql } from '../../src/common/database/sql/sql.js';",
    "import { allRowsOf } from './support/behind-the-api.js';",
    "it('opens no pg', () => undefined);",
  ])('accepts a test that opens none: %s', (text) => expect(judge(text)).toEqual([]));

  it.each(['it.skip("later", () => undefined);', 'const on = process.env.REDIS ? describe : describe.skip;'])(
    'reports a test that skips on its own: %s',
    (text) => {
      expect(judge(text)).toEqual([
        expect.stringMatching(/^test\/a\.e2e-spec\.ts:1 skips on its own: use needing\(\) of test\//),
      ]);
      expect(judge(text, 'test/support/needs.ts')).toEqual([]);
    },
  );

  it('accepts a test for one of the databases', () => {
    expect(judge("const onSqlite = databaseKind === 'sqlite' ? it : it.skip;")).toEqual([]);
  });

  it('reports an end-to-end test that imports a module of a service without its reason', () => {
    const load = "import { Sweeper } from '../src/modules/files/sweeper.job.js';";
    expect(judge(load)).toEqual([expect.stringMatching(/^test\/a\.e2e-spec\.ts:1 imports src\/modules: use the API, or say/)]);
    expect(judge(`import a from 'a';\n// Past the API: a run of the sweeper.\n${load}`)).toEqual([]);
    expect(judge(load, 'test/unit/sweeper.spec.ts')).toEqual([]);
  });

  it('accepts the one file that opens databases', () => {
    expect(judge("import { Client } from 'pg';", 'test/support/behind-the-api.ts')).toEqual([]);
  });

  it('reports an outermost title that begins with a verb', () => {
    expect(judge("it('is switched off', () => undefined);")).toEqual([expect.stringContaining('has a title without a subject')]);
    expect(judge("describe('a webhook', () => { it('is switched off', () => undefined); });")).toEqual([]);
  });
});

describe('the rule of versions', () => {
  const root = new URL('../../', import.meta.url);
  const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };

  it('reports each file that names another release, or none', () => {
    expect(findVersions(read, version)).toEqual([]);
    const older = (file: string) => (file === 'CHANGELOG.md' ? '## Unreleased' : read(file).replaceAll(version, '0.0.9'));
    const found = findVersions(older, version);
    expect(found).toHaveLength(20);
    expect(found).toContain(`README.md names 0.0.9, and package.json ${version}`);
    expect(found).toContain(`CHANGELOG.md names no release, and package.json ${version}`);
  });
});

describe('the rule of words', () => {
  it.each([
    ['Mend the part.', 'fix'],
    ['The store is away.', 'is down'],
    ['Its leases are given back.', 'release, return'],
    ['The heads of a request arrive.', 'request headers'],
  ])('reports %j with the better word', (text, better) =>
    expect(findWords('a.md', `Fine.\n${text}\n`)).toEqual([
      expect.stringMatching(new RegExp(`^a.md:2 says ".*": write ${better}$`)),
    ]),
  );

  it.each(['The event is five minutes away from now.', 'const comment = amended;', 'They run one at a time.'])(
    'accepts %j',
    (text) => expect(findWords('a.ts', text)).toEqual([]),
  );
});

describe('the rule of styles', () => {
  it('reports classes of a module that nothing uses, classes that it lacks, and modules of one name', () => {
    const module = { path: 'a/a.module.css', text: '.used-here,\n.idle:hover :global(.x) {\n  margin: 0.5rem;\n}\n' };
    const user = {
      path: 'a/b/c.tsx',
      text: "import styles from '../a.module.css';\n<p className={`${styles.usedHere} ${styles.gone}`} />",
    };
    expect(findModules([module], [user])).toEqual([
      'a/a.module.css has .idle, which nothing uses',
      'a/a.module.css lacks .gone, which is used',
    ]);
    expect(findModules([module, { path: 'b/a.module.css', text: '' }], [])).toContain('a.module.css is the name of two modules');
  });

  it.each([
    ['.a { gap: var(--space-8); }'],
    ['.a { border: 1px solid var(--line); margin-top: -1px; outline-offset: -2px; }'],
    ['@media (max-width: 640px) {'],
    ['.a { width: 20rem; z-index: var(--z-head); }'],
  ])('accepts %s', (text) => expect(findStyles('a.css', text)).toEqual([]));

  it.each([
    ['.a { gap: 6px; }', 'sizes'],
    ['.a { padding: 0 11px; }', 'sizes'],
    ['.a { margin: -12px; }', 'sizes'],
    ['.a { height: 1.5px; }', 'sizes'],
    ['.a { color: #fff; }', 'colours'],
    ['.a { box-shadow: 0 0 1px rgb(0 0 0 / 10%); }', 'colours'],
    ['.a { z-index: 9; }', 'layers'],
  ])('refuses %s', (text, what) => {
    expect(findStyles('a.css', `.b {}\n${text}`)).toEqual([expect.stringMatching(new RegExp(`^a\\.css:2 takes ${what} `))]);
  });
});
