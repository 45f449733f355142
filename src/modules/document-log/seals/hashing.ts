import { hash } from 'node:crypto';

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** RFC 8785 of a flat object: members by UTF-16 code units, whole numbers only, and strings as JSON.stringify spells them. */
export function canonicalJson(members: Record<string, string | number>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Lets everything else that waits run, between two pieces of long work. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
