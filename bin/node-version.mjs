/** Returns why a version of Node cannot run this, if it cannot. Matches `engines` of package.json, which the locked packages require. */
export function nodeFault(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 14) || (major === 20 && minor >= 19)) return undefined;
  return `Node 20 from 20.19, Node 22 from 22.14, or Node 24 or newer is needed; this is ${version}`;
}

/** The version of better-sqlite3 for Node 20, which cannot load the later ones (docs/decisions/101). */
export const SQLITE_OF_NODE_20 = '12.11.1';
