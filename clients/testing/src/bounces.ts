import type { TestingApi } from './testing-api.js';

export interface BounceOrder {
  /** HARD unless given: there is no such address. */
  kind?: 'DELAYED' | 'SOFT' | 'HARD' | 'COMPLAINT';
  /** Such as 5.1.1; one that goes with the kind unless given. */
  code?: string;
  /** What the mail server of the recipient says. */
  diagnostic?: string;
}

/** Bounce recorded for the recipient; an earlier, more severe one stays. */
export interface Bounce {
  at: Date;
  kind: 'DELAYED' | 'SOFT' | 'HARD' | 'COMPLAINT';
  code: string | null;
  diagnostic: string | null;
}

/** Makes the newest mail to an address come back. */
export async function bounceMail(api: TestingApi, to: string, order: BounceOrder, tenantId?: string): Promise<Bounce> {
  const { bounce } = await api.post<{ bounce: Omit<Bounce, 'at'> & { at: string } }>('bounces', { tenantId, to, ...order });
  return { ...bounce, at: new Date(bounce.at) };
}
