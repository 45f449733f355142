import { itInBrowser } from '../../support/browser.js';

itInBrowser(
  'Studio makes tenants and keys for the operator, renames, rotates and revokes keys, erases persons, and shows what operators did',
  {
    program: 'studio-tenants.mjs',
    withServer: true,
  },
);
