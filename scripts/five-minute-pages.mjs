// Files and commands of docs/five-minutes-*.md, for tests that follow the pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const FILE = /(?:Put|And) this into `([^`]+)`[^]*?^```\w+\n([^]*?)^```$/gm;
const TYPED = /^```console\n([^]*?)^```$|\brun `([^`]+)`/gm;
/** Commands for the checkout and the server, which a page has before those in the reader's folder. */
const BEFORE = /^(npm start|npm run build|npm run package.*|export .*|)$/;

/** Returns the files that a reader creates, by name, and the lines typed from the empty folder on. */
export function readPage(name) {
  const text = readFileSync(join(root, 'docs', `five-minutes-${name}.md`), 'utf8');
  const typed = [...text.matchAll(TYPED)].flatMap(([, block, command]) => (block ?? command).split('\n'));
  const commands = typed.map((line) => line.replace(/^mkdir \S+ && cd \S+( && |$)/, '')).filter((line) => !BEFORE.test(line));
  return { files: Object.fromEntries([...text.matchAll(FILE)].map(([, file, code]) => [file, code])), commands };
}

/** Returns a command of a page with packages of a release in place of those of the checkout. */
export function published(command, { version, goModule }) {
  return command
    .replace(/^go mod edit .*/, `go get ${goModule}@v${version}`)
    .replaceAll(/\/tmp\/platform-services-(\w+)-\*\.tgz/g, '@platform-services/$1')
    .replace('"$OLDPWD/clients/python"', 'platform-services-client');
}
