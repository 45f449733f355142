import { asCount, asHours } from '../../../common/base/amounts.js';
import { MAX_IDENTITIES } from './identity.model.js';
import { LINK_LIFETIME_MS, MAX_LINKS_OF_TENANT, MAX_LINKS_TO_MAILBOX } from '../models/limits.js';

/** Schema descriptions of the operations on identities. */
export const IDENTITIES = {
  emailIdentities: `All identities of the tenant, by address; at most ${asCount(MAX_IDENTITIES)}.`,
  verifyEmailIdentity:
    `Sends a link to the address, valid for ${asHours(LINK_LIFETIME_MS)} hours, and voids the previous one; emailIdentities ` +
    `shows its state. RATE_LIMITED after ${MAX_LINKS_TO_MAILBOX} links to one mailbox on one day (UTC) over all tenants, and ` +
    `after ${MAX_LINKS_OF_TENANT} of the tenant; letter case and a +tag are ignored in mailboxes. A VERIFIED address stays ` +
    'VERIFIED and gets no link. FAILED_PRECONDITION while the name of the tenant contains an address.',
  deleteEmailIdentity:
    'Returns the identity as it was. Messages accepted earlier are still sent. NOT_FOUND for an unknown address.',
};
