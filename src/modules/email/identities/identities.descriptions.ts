import { asCount, asHours } from '../../../common/base/amounts.js';
import { MAX_IDENTITIES } from './identity.model.js';
import { LINK_LIFETIME_MS, MAX_LINKS_OF_TENANT, MAX_LINKS_TO_MAILBOX } from '../models/limits.js';

export const IDENTITIES = {
  emailIdentities: `Lists all identities of the tenant by address; at most ${asCount(MAX_IDENTITIES)}.`,
  verifyEmailIdentity:
    `Sends a verification link to the address, valid for ${asHours(LINK_LIFETIME_MS)} hours, which replaces the previous one; see emailIdentities ` +
    `for its state. RATE_LIMITED after ${MAX_LINKS_TO_MAILBOX} links to one mailbox per day (UTC) over all tenants, and ` +
    `after ${MAX_LINKS_OF_TENANT} links of the tenant; letter case and +tags of mailboxes are ignored. A VERIFIED address stays ` +
    'VERIFIED and receives no link. FAILED_PRECONDITION if the name of the tenant contains an address.',
  deleteEmailIdentity:
    'Deletes an identity, and returns its last state. Messages accepted earlier are still sent. NOT_FOUND for an unknown address.',
};
