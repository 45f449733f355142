import { hash } from 'node:crypto';

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** Lets everything else that waits run, between two pieces of long work. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
