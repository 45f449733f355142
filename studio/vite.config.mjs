// Builds Studio into studio/dist, which the server serves at /studio. `npm run studio` serves it from the sources instead, in front of a
// server on port 3000.
import { basename } from 'node:path';
import { defineConfig } from 'vite';

const SERVER = process.env.STUDIO_SERVER ?? 'http://localhost:3000';
const PATHS = '^/(key|health|file-management|document-rendering|websockets-manager|document-log|email|admin)(/|$)';

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

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [preloadFont],
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
  },
  server: { proxy: { [PATHS]: { target: SERVER, ws: true } } },
});
