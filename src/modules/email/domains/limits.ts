const DAY_MS = 24 * 3_600_000;

/** Maximum domains per tenant. */
export const MAX_DOMAINS = 100;
/** Maximum characters of a domain, leaving room for local parts of 64 characters and record names of 253. */
export const MAX_DOMAIN = 180;
/** Maximum records of a domain: three generations of two keys, and one per other purpose. */
export const MAX_RECORDS = 10;
/** Values shown per record, and characters of each. */
export const MAX_FOUND = 3;
export const MAX_VALUE = 500;

/** Maximum characters of one string of a TXT record (RFC 1035). */
export const MAX_STRING = 255;
/** Timeout of one check. */
export const CHECK_MS = 9_000;
/** Minimum interval between requested checks of a domain. */
export const CHECK_AGAIN_MS = 10_000;
/** Time without a required record after which a verified domain fails. */
export const FAIL_AFTER_MS = 3 * DAY_MS;
/** Time for which the records of replaced keys are needed: mail servers retry for up to 5 days. */
export const OVERLAP_MS = 7 * DAY_MS;
