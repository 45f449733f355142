import { hash } from 'node:crypto';

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** The form in which hashes are stored; a string is made faster than a buffer. */
export const sha256Text = (data: string): string => hash('sha256', data, 'base64url');
