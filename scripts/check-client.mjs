// The client of pages must stay small. Part of npm run check.
import { prepareClients, scriptBytes } from './client.mjs';

const MOST_BYTES = 12_000;

prepareClients();
const bytes = scriptBytes();
if (bytes > MOST_BYTES) {
  console.log(`error client size: the browser part has ${bytes} bytes compressed; it may have ${MOST_BYTES}`);
  process.exitCode = 1;
}
