// Says which tests run when. A spec that says nothing runs on each change, on both databases. Others begin with one of these:
//   // @nightly: REASON              runs with TEST_LONG=1 only
//   // @nightly postgresql: REASON   the same on that database; on the other one it runs on each change
//   // @only postgresql: REASON      shows nothing on the other database, and never runs there
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const KNOWN = /^\/\/ @(nightly|only(?= ))(?: (sqlite|postgresql))?: \S/;

/** Whether a spec of this text runs on a database: `sqlite`, `postgresql`, or `none` for units. What it says must be known. */
export function runs(text, database, isLong) {
  const lines = text.match(/^\/\/ ?@(?!ts-).*$/gm) ?? [];
  return lines.every((line) => {
    const known = KNOWN.exec(line);
    if (!known) throw new Error(`${line}: known are @nightly, @nightly DATABASE and @only DATABASE, each with ": REASON"`);
    const [, word, named = database] = known;
    return word === 'only' ? named === database : isLong || named !== database;
  });
}

/** Returns the paths of the specs of a folder that do not run on a database. */
export function leftOut(folder, database, isLong) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('spec.ts'));
  return paths.filter((path) => {
    try {
      return !runs(readFileSync(join(folder, path), 'utf8'), database, isLong);
    } catch (error) {
      throw new Error(`${path}: ${error.message}`, { cause: error });
    }
  });
}
