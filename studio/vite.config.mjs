// Builds Studio into studio/dist, which the server serves at /studio. `npm run studio` serves it from the sources instead, in front of a
// server on port 3000.
import { defineConfig } from 'vite';

const SERVER = process.env.STUDIO_SERVER ?? 'http://localhost:3000';
const PATHS = '^/(key|health|file-management|document-rendering|websockets-manager|document-log|email|admin)(/|$)';

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the Content-Security-Policy has no room for data: in styles
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
  server: { proxy: { [PATHS]: { target: SERVER, ws: true } } },
});
