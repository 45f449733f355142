import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type ts from 'typescript';

const require = createRequire(import.meta.url);
const typescript: typeof ts = require('typescript');
const root = fileURLToPath(new URL('../../', import.meta.url));

const PAGES = ['README.md', 'clients/js/README.md', 'clients/testing/README.md'];
/** Programs with our packages; Testcontainers is not among the dependencies here. */
const isOurs = (text: string) => text.includes("from '@platform-services/") && !text.includes("from 'testcontainers'");
/** Its snippets continue from one another, so they are one program. */
const ONE_PROGRAM = 'clients/js/README.md';

describe('code samples of the documents', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'platform-services-samples-'));
    mkdirSync(join(folder, 'node_modules', '@platform-services'), { recursive: true });
    for (const [name, place] of [
      ['@platform-services/client', 'clients/js'],
      ['@platform-services/testing', 'clients/testing'],
    ])
      symlinkSync(join(root, place!), join(folder, 'node_modules', name!));
    for (const name of ['@types', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  // Parameters of their functions have no types, as in JavaScript.
  it.each(PAGES)('compile as strict TypeScript: %s', (page) => {
    const snippets = [...readFileSync(join(root, page), 'utf8').matchAll(/^```(?:js|ts)\n(.*?)^```$/gms)].map(
      ([, text]) => text!,
    );
    const ours = page === ONE_PROGRAM ? [snippets.join('\n')] : snippets.filter(isOurs);
    expect(ours.length).toBeGreaterThan(0);
    const programs = ours.map((text, index) => {
      const file = join(folder, `${page.replaceAll(/\W/g, '-')}-${index}.mts`);
      writeFileSync(file, text);
      return file;
    });
    expect(problemsOf(programs)).toEqual([]);
  });
});

function problemsOf(files: string[]): string[] {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = typescript;
  const program = typescript.createProgram(files, {
    strict: true,
    noImplicitAny: false,
    noEmit: true,
    skipLibCheck: true,
    target: ScriptTarget.ES2023,
    module: ModuleKind.NodeNext,
    moduleResolution: ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
  });
  return typescript.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start!).line + 1 : 0;
    return `${file?.fileName.split('/').at(-1)}:${line} ${typescript.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
