// @nightly: beyond the main paths of a browser
import { freePort } from '../../nodes/free-port.mjs';
import { itInBrowser } from '../../support/browser.js';
import { program } from '../../support/needs.js';

itInBrowser('Studio sets the parent of a tenant, and shows what a tenant inherits as read-only', {
  program: 'studio-parents.mjs',
  withServer: true,
  needs: [program('dnsmasq')],
  settings: { EMAIL_DNS_SERVERS: `127.0.0.1:${await freePort()}` },
});
