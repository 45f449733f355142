import { itInBrowser } from '../../support/browser.js';

itInBrowser(
  'Studio signs a person in at an issuer, works with the session, switches tenants, signs out everywhere, and accepts keys',
  {
    program: 'studio-people.mjs',
    withServer: true,
    people: {
      ann: { name: 'Ann Lee', groups: ['editor:acme', 'reader:beta'] },
      olga: { name: 'Olga', groups: ['operator:*'] },
    },
  },
);
