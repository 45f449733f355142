// Builds Studio into studio/dist, which the server serves at /studio. `npm run studio` serves it from the sources instead, in front of a
// server on port 3000.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { defineConfig } from 'vite';

const SERVER = process.env.STUDIO_SERVER ?? 'http://localhost:3000';
const PATHS = '^/(key|session|health|file-management|document-rendering|websockets-manager|document-log|email|admin)(/|$)';

/** The font of nearly every text. The page asks for it beside its styles, which alone would tell of it. */
const FONT = /inter-latin-wght-normal-[\w-]+\.woff2$/;
const preloadFont = {
  name: 'preload-font',
  transformIndexHtml: (_, { bundle = {} }) =>
    Object.keys(bundle)
      .filter((name) => FONT.test(name))
      .map((name) => ({
        tag: 'link',
        attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/studio/${name}`, crossorigin: true },
        injectTo: 'head',
      })),
};

/** Writes each text a second time, compressed by Brotli: a sixth less than gzip, and too slow for the server. */
const TEXT = /\.(html|js|css|svg)$/;
const compress = promisify(brotliCompress);
const brotli = {
  name: 'brotli',
  apply: 'build',
  async closeBundle() {
    const { outDir } = this.environment.config.build;
    const names = (await readdir(outDir, { recursive: true })).filter((name) => TEXT.test(name));
    await Promise.all(
      names.map(async (name) => writeFile(join(outDir, `${name}.br`), await compress(await readFile(join(outDir, name))))),
    );
  },
};

/** Names a chunk that several pages share by the package or folder of most of its modules. */
function chunkName({ isDynamicEntry, name, moduleIds }) {
  if (isDynamicEntry) return 'assets/[name]-[hash].js';
  const owners = moduleIds.map((id) => {
    const [, module] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
    return module?.replace(/^@|\/.*/g, '') ?? /\/studio\/src\/([\w-]+)\//.exec(id)?.[1];
  });
  const countOf = (owner) => owners.filter((one) => one === owner).length;
  const [most = name] = owners.filter(Boolean).sort((one, other) => countOf(other) - countOf(one));
  return `assets/${most}-[hash].js`;
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [preloadFont, brotli],
  css: {
    // A class of a module is called after its file, which tests and people can read: .rail of shell.module.css is shell-rail.
    modules: {
      localsConvention: 'camelCaseOnly',
      generateScopedName: (name, file) => `${basename(file, '.module.css')}-${name}`,
    },
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the Content-Security-Policy has no room for data: in styles
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: { output: { chunkFileNames: chunkName } },
  },
  server: { proxy: { [PATHS]: { target: SERVER, ws: true } } },
});
