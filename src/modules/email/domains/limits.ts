const DAY_MS = 24 * 3_600_000;

/** The most domains of one tenant. */
export const MAX_DOMAINS = 100;
/** The most characters of a domain, whose addresses have up to 64 more and whose records have names of up to 253. */
export const MAX_DOMAIN = 180;
/** The most records of one domain: three generations of two keys, and one for each other purpose. */
export const MAX_RECORDS = 10;
/** How many values of a record are shown, and how much of each. */
export const MAX_FOUND = 3;
export const MAX_VALUE = 500;

/** The most characters of one string of a TXT record (RFC 1035). */
export const MAX_STRING = 255;
/** How long all look-ups of one check may take. */
export const CHECK_MS = 9_000;
/** How often a caller can have one domain checked. */
export const CHECK_AGAIN_MS = 10_000;
/** How long a needed record of a verified domain is missing before the domain fails. */
export const FAIL_AFTER_MS = 3 * DAY_MS;
/** How long the records of replaced keys are needed: mail servers try a mail for up to 5 days. */
export const OVERLAP_MS = 7 * DAY_MS;
