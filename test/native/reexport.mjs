// A module of the build, as tests see it: exports of the one that Node loaded.
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';

const VERSION = '1';

export default {
  async processAsync(_, path) {
    const url = pathToFileURL(path).href;
    const names = Object.keys(await import(url));
    const lines = names.map((name) =>
      name === 'default' ? 'export default all.default;' : `export const ${name} = all.${name};`,
    );
    return { code: [`const all = await importNatively(${JSON.stringify(url)});`, ...lines].join('\n') };
  },
  getCacheKey: (source, path) => createHash('sha256').update(`${VERSION}\n${path}\n${source}`).digest('hex'),
};
