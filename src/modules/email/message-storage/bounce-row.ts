import type { EmailBounce, EmailBounceKind } from '../models/bounce.model.js';
import type { RecipientRow } from './email-row.js';

/** Bounce columns of a recipient. */
export type BounceColumns = Pick<RecipientRow, 'bouncedAt' | 'bounceKind' | 'bounceCode' | 'bounceDiagnostic'>;

export const BOUNCE_COLUMNS = { bouncedAt: true, bounceKind: true, bounceCode: true, bounceDiagnostic: true } as const;

/** Converts the bounce of a recipient for callers; null without one. */
export function toBounce({ bouncedAt, bounceKind, bounceCode, bounceDiagnostic }: BounceColumns): EmailBounce | null {
  if (bouncedAt === null) return null;
  return { at: bouncedAt, kind: bounceKind as EmailBounceKind, code: bounceCode, diagnostic: bounceDiagnostic };
}
