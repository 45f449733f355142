import { asCount, asDays, asSeconds } from '../../../common/base/amounts.js';
import { CHECK_AGAIN_MS, CHECK_MS, FAIL_AFTER_MS, MAX_DOMAIN, MAX_DOMAINS, OVERLAP_MS } from './limits.js';

/** Schema descriptions of the operations on domains. */
export const DOMAINS = {
  emailDomains: `The domains of the tenant, by their names; at most ${asCount(MAX_DOMAINS)}.`,
  createEmailDomain:
    'Returns the records to set at the DNS provider of the domain. Once the needed ones are found, it is VERIFIED: any ' +
    'address of the domain, but of no subdomain, may be from, and its mails are signed by DKIM. They are looked up by ' +
    'themselves, often at first. A repeat returns the domain as it is. Another tenant may have the same domain, with records of its ' +
    `own. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOMAINS)} domains; SERVICE_UNAVAILABLE while many keys are being made.`,
  checkEmailDomain:
    `Looks the records up now, which takes up to ${asSeconds(CHECK_MS)} s, and returns the domain with what was found. RATE_LIMITED ` +
    'more often than ' +
    `once in ${asSeconds(CHECK_AGAIN_MS)} s. A VERIFIED domain whose needed records are missing stays so for ` +
    `${asDays(FAIL_AFTER_MS)} days. NOT_FOUND for an unknown domain.`,
  rotateEmailDomainKeys:
    'Makes new keys, whose records are added to those to set. The old keys sign until a check has found the record of the new RSA key; ' +
    `keep the old records for ${asDays(OVERLAP_MS)} days more. A repeat before that changes nothing. NOT_FOUND for an unknown domain, ` +
    'FAILED_PRECONDITION unless it is VERIFIED.',
  deleteEmailDomain: 'Returns the domain as it was. Messages accepted earlier are still sent. NOT_FOUND for an unknown domain.',
  domain:
    `Such as example.com: at least two labels, at most ${MAX_DOMAIN} characters, in any letter case, also internationalised. No reserved ` +
    'name, such as localhost.',
};
