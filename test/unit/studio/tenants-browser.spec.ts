import { itInBrowser } from '../../support/browser.js';

itInBrowser(
  'Studio creates tenants and keys for the operator, renames, rotates and revokes keys, erases persons, and shows the admin log',
  {
    program: 'studio-tenants.mjs',
    withServer: true,
  },
);
