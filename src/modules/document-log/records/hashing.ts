import { hash } from 'node:crypto';

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** The form in which hashes are stored; a string is made faster than a buffer. */
export const sha256Text = (data: string): string => hash('sha256', data, 'base64url');

/** Hashes the content of a leaf. U+0000 is the byte 0x00 that RFC 6962 puts before it. */
export const leafHashOf = (content: string): string => sha256Text(`\0${content}`);

/** Hashes personal members. Without the salt, 22 characters of base64url, nobody can tell which members have this hash. */
export const personalHashOf = (salt: string, personal: string): string => sha256Text(`${salt}${personal}`);
