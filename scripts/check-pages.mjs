// Limits the size of what pages load: the client, and the first load of Studio. Part of npm run check.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { prepareClients, scriptBytes } from './client.mjs';
import { root } from './prepare.mjs';

const MOST_BYTES = 12_000;
const MOST_STUDIO_BYTES = 350_000;
const STUDIO = join(root, 'studio', 'dist');

prepareClients();
refuseMore('the browser part of the client', scriptBytes(), MOST_BYTES);
refuseMore('the first load of Studio', firstLoadBytes(), MOST_STUDIO_BYTES);

function refuseMore(what, bytes, most) {
  if (bytes <= most) return;
  console.log(`error page size: ${what} has ${bytes} bytes compressed; it may have ${most}`);
  process.exitCode = 1;
}

/** Adds up the page, its assets, and the modules that they import statically. Routes are imported on demand and do not count. */
function firstLoadBytes() {
  const page = readFileSync(join(STUDIO, 'index.html'), 'utf8');
  const known = new Set(readdirSync(join(STUDIO, 'assets')));
  const wanted = [...page.matchAll(/assets\/([\w.-]+)/g)].map(([, name]) => name);
  const counted = new Set();
  let bytes = gzipSync(page).length;
  while (wanted.length > 0) {
    const name = wanted.pop();
    if (counted.has(name) || !known.has(name)) continue;
    counted.add(name);
    const content = readFileSync(join(STUDIO, 'assets', name));
    bytes += gzipSync(content).length;
    if (name.endsWith('.js'))
      wanted.push(...[...content.toString().matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g)].map(([, other]) => other));
  }
  return bytes;
}
