import { hash } from 'node:crypto';

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** Hashes to base64url, as stored. Faster as a string than as a buffer. */
export const sha256Text = (data: string): string => hash('sha256', data, 'base64url');

/** Hashes a leaf. U+0000 is the leaf prefix 0x00 of RFC 6962. */
export const leafHashOf = (content: string): string => sha256Text(`\0${content}`);

/** Hashes personal members. The salt, 22 characters of base64url, prevents guessing them from the hash. */
export const personalHashOf = (salt: string, personal: string): string => sha256Text(`${salt}${personal}`);
