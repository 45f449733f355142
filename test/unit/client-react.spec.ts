import { itInBrowser } from '../support/browser.js';

itInBrowser('a React component uploads and receives pushes by two hooks, and leaves no connection', {
  program: 'react.mjs',
  withServer: true,
});
