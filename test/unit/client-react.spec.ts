import { itInBrowser } from '../support/browser.js';

itInBrowser('a React component uploads, receives pushes and marks its inbox by three hooks, and leaves no connection', {
  program: 'react.mjs',
  withServer: true,
});
