import { hash } from 'node:crypto';

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** As hashes are stored; a string is made faster than a buffer. */
export const sha256Text = (data: string): string => hash('sha256', data, 'base64url');

/** Lets everything else that waits run, between two pieces of long work. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
