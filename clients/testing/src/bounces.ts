import type { TestingApi } from './testing-api.js';

export interface BounceOrder {
  /** HARD by default: the address does not exist. */
  kind?: 'DELAYED' | 'SOFT' | 'HARD' | 'COMPLAINT';
  /** Status such as 5.1.1; by default one that fits the kind. */
  code?: string;
  /** Text of the recipient's mail server. */
  diagnostic?: string;
}

/** Bounce recorded for the recipient; an earlier, more severe one stays. */
export interface Bounce {
  at: Date;
  kind: 'DELAYED' | 'SOFT' | 'HARD' | 'COMPLAINT';
  code: string | null;
  diagnostic: string | null;
}

/** Reports a bounce of the newest mail to an address. */
export async function bounceMail(api: TestingApi, to: string, order: BounceOrder, tenantId?: string): Promise<Bounce> {
  const { bounce } = await api.post<{ bounce: Omit<Bounce, 'at'> & { at: string } }>('bounces', { tenantId, to, ...order });
  return { ...bounce, at: new Date(bounce.at) };
}
