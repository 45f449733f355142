// node upload-child.mjs URL KEY PATH: uploads a file in parts of 5 MiB, one at a time, and prints its handle and progress as lines of JSON.
import { createClient } from '../../clients/js/dist/index.js';

const [, , url, key, path] = process.argv;
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
await createClient({ url, key }).files.upload(path, {
  partsFrom: 0,
  partBytes: 5 * 1024 * 1024,
  parallel: 1,
  onStart: (handle) => say({ handle }),
  onProgress: ({ done }) => say({ done }),
});
