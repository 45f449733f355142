import type { Api } from '../../../api/client';
import { CONTENT, MAIL } from '../../mails';
import { wordOf } from '../../words';
import { type Draft, draftLike } from './draft';

export interface Like {
  draft: Draft;
  /** Names of attachments that only the earlier mail has. */
  lost: readonly string[];
}

/** Returns which addresses the key may send from. */
export async function readMaySend({ email }: Api, signal?: AbortSignal): Promise<(address: string) => boolean> {
  const options = { ...(signal && { signal }) };
  const [senders, domains] = await Promise.all([
    email.emailIdentities({}, undefined, options).catch(() => []),
    email.emailDomains({}, { items: { domain: true, status: true } }, options).catch(() => ({ items: [] })),
  ]);
  const isVerified = ({ status }: { status: string | null }) => status === 'VERIFIED';
  const verified = new Set([
    ...senders.filter(isVerified).map(({ address }) => address),
    ...domains.items.filter(isVerified).map(({ domain }) => `@${domain}`),
  ]);
  return (address) => verified.has(address) || verified.has(address.slice(address.lastIndexOf('@')));
}

interface LikeOptions {
  maySend: (address: string) => boolean;
  /** Only for recipients who did not get it, unless it was cancelled or they are suppressed. */
  isAgain: boolean;
  signal?: AbortSignal;
}

/** Reads an earlier mail as a draft; undefined if it is no longer there. */
export async function readLike({ email }: Api, id: string, { maySend, isAgain, signal }: LikeOptions): Promise<Like | undefined> {
  const { items } = await email.messages({ filter: { id } }, { items: { ...MAIL, ...CONTENT } }, { ...(signal && { signal }) });
  const [mail] = items;
  if (!mail) return undefined;
  const lost = (mail.content?.attachments ?? []).filter(({ fileId }) => !fileId).map(({ name }) => name ?? '');
  const draft = draftLike(mail, mail.content, maySend);
  return { draft: isAgain ? ofFailed(draft, failedOf(mail.recipients ?? [])) : draft, lost };
}

type Recipient = {
  address: string | null;
  status: string | null;
  lastError: string | null;
  suppressed: unknown;
  bounce?: { kind: string | null } | null;
};

/** Returns the addresses that a mail failed for, and that another attempt could reach. */
export const failedOf = (recipients: readonly Recipient[]): string[] =>
  recipients.flatMap(({ address, status, lastError, suppressed }) =>
    address && status === 'FAILED' && !suppressed && wordOf('FAILED', lastError).word !== 'Cancelled' ? [address] : [],
  );

/** Limits a draft to some addresses. Someone is in To, as a mail needs. */
function ofFailed(draft: Draft, addresses: readonly string[]): Draft {
  const some = new Set(addresses.map((address) => address.toLowerCase()));
  const [to, cc, bcc] = [draft.to, draft.cc, draft.bcc].map((list) =>
    list.filter(({ address }) => some.has(address.toLowerCase())),
  );
  if (to!.length > 0) return { ...draft, to: to!, cc: cc!, bcc: bcc! };
  return cc!.length > 0 ? { ...draft, to: cc!, cc: [], bcc: bcc! } : { ...draft, to: bcc!, cc: [], bcc: [] };
}
