// @nightly: beyond the main paths of a browser
import { freePort } from '../../nodes/free-port.mjs';
import { itInBrowser } from '../../support/browser.js';
import { program } from '../../support/needs.js';

itInBrowser('Studio shows the records of a domain with their state, and bounces and tags of mails', {
  program: 'studio-domains.mjs',
  withServer: true,
  needs: [program('dnsmasq')],
  settings: {
    EMAIL_DNS_SERVERS: `127.0.0.1:${await freePort()}`,
    EMAIL_SPF: 'include:_spf.relay.example',
    RETURN_PATH_DOMAIN: 'bounces.platform.example',
    TESTING_KEY: 'only-for-tests-of-studio',
  },
});
