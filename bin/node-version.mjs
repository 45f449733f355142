/** Returns why a version of Node cannot run this, if it cannot. Matches `engines` of package.json, which the locked packages require. */
export function nodeFault(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 14) || (major === 20 && minor >= 19)) return undefined;
  return `Node 20 from 20.19, Node 22 from 22.14, or Node 24 or newer is needed; this is ${version}`;
}

/** The version of better-sqlite3 for Node 20, which cannot load the later ones (docs/decisions.md, 101). */
export const SQLITE_OF_NODE_20 = '12.11.1';
const UNUSED = ['FTS3', 'FTS3_PARENTHESIS', 'FTS4', 'FTS5', 'RTREE', 'GEOPOLY'];
/** Of -O2 what SQLite gains by: 0.56 of its compile time, for a driver whose statements take 1.02 to 1.05 of their time, and 1.12 to prepare. */
const OPTIMIZATIONS = '-O1 -finline-small-functions -fstrict-aliasing -foptimize-sibling-calls -fschedule-insns2';
/** Flags for a driver that is compiled, where none can be downloaded: no search and maps, and no more optimization than can be felt. */
export const SQLITE_FLAGS = {
  CFLAGS: [OPTIMIZATIONS, ...UNUSED.map((name) => `-USQLITE_ENABLE_${name}`)].join(' '),
  CXXFLAGS: '-O2',
};
