import type { SendMessageInput } from '../../../../../clients/js/src/generated/email';
import type { Content, Mail } from '../../mails';
import type { Named } from './addresses';
import { faultOfPairs, readPairs, writePairs } from './pairs';

export type Form = 'text' | 'html' | 'template';

export interface Attached {
  fileId: string;
  name: string;
  contentType: string | null;
  size: number | null;
  /** Id used in the HTML as cid:ID. */
  contentId?: string | null;
}

/** A draft of a mail. */
export interface Draft {
  /** Empty for the address of the server. */
  from: string;
  fromName: string;
  to: readonly Named[];
  cc: readonly Named[];
  bcc: readonly Named[];
  replyTo: string;
  subject: string;
  form: Form;
  text: string;
  html: string;
  templateName: string;
  params: string;
  isStrict: boolean;
  attachments: readonly Attached[];
  /** One per line, such as `X-Campaign: autumn`. */
  headers: string;
  tags: string;
  /** Time to send it, in UTC; empty for now. */
  sendAt: string;
}

export const EMPTY: Draft = {
  from: '',
  fromName: '',
  to: [],
  cc: [],
  bcc: [],
  replyTo: '',
  subject: '',
  form: 'text',
  text: '',
  html: '',
  templateName: '',
  params: '{}',
  isStrict: false,
  attachments: [],
  headers: '',
  tags: '',
  sendAt: '',
};

/** Returns whether nothing was entered; the form of the body is no content. */
export const isUntouched = (draft: Draft): boolean => JSON.stringify({ ...draft, form: EMPTY.form }) === JSON.stringify(EMPTY);

/** Returns a draft with the content of an earlier mail, and its sender if it may still send. */
export function draftLike(
  { from, to, cc, bcc, subject, tags }: Mail,
  content: Content | null,
  maySendFrom: (address: string) => boolean,
): Draft {
  const named = (list: Mail['to']) => (list ?? []).map(({ address, name }) => ({ address: address ?? '', name }));
  const isSender = from?.address && maySendFrom(from.address);
  return {
    ...EMPTY,
    ...(isSender && { from: from.address!, fromName: from.name ?? '' }),
    to: named(to),
    cc: named(cc),
    bcc: named(bcc),
    subject: subject ?? '',
    form: content?.html ? 'html' : 'text',
    html: content?.html ?? '',
    text: content?.text ?? '',
    attachments: (content?.attachments ?? []).flatMap(({ fileId, name, contentType, size, contentId }) =>
      fileId ? [{ fileId, name: name ?? '', contentType, size, contentId }] : [],
    ),
    headers: writePairs(content?.headers ?? []),
    tags: writePairs(tags ?? []),
  };
}

/** Returns the part of a mail that a fault concerns. */
export type Part =
  | 'to'
  | 'cc'
  | 'bcc'
  | 'from'
  | 'replyTo'
  | 'subject'
  | 'htmlBody'
  | 'textBody'
  | 'templateName'
  | 'params'
  | 'attachments'
  | 'headers'
  | 'tags'
  | 'sendAt';
export const PARTS: readonly Part[] = [
  'to',
  'cc',
  'bcc',
  'from',
  'replyTo',
  'subject',
  'htmlBody',
  'textBody',
  'templateName',
  'params',
  'attachments',
  'headers',
  'tags',
  'sendAt',
];
export type Faults = Partial<Record<Part, string>>;

const MOST_ATTACHED = 26_214_400;

/** Lists missing parts of a mail. The service checks the rest. */
export function faultsOf(draft: Draft): Faults {
  const size = draft.attachments.reduce((sum, file) => sum + (file.size ?? 0), 0);
  return {
    ...(draft.to.length === 0 && { to: 'Add at least one recipient.' }),
    ...(draft.form === 'text' && !draft.text && { textBody: 'Enter a message.' }),
    ...(draft.form === 'html' && !draft.html && !draft.text && { htmlBody: 'Enter a message.' }),
    ...(draft.form === 'template' && !draft.templateName && { templateName: 'Select a template.' }),
    ...(draft.form === 'template' && faultOfParams(draft.params) && { params: faultOfParams(draft.params)! }),
    ...(faultOfPairs(draft.headers) && { headers: faultOfPairs(draft.headers)! }),
    ...(faultOfPairs(draft.tags) && { tags: faultOfPairs(draft.tags)! }),
    ...(size > MOST_ATTACHED && { attachments: 'Attachments can’t exceed 25 MiB in total.' }),
  };
}

/** Returns why a text is not a JSON object, if it is not. */
export function faultOfParams(params: string): string | undefined {
  try {
    const value: unknown = JSON.parse(params || '{}');
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? undefined : 'Enter a JSON object: { … }';
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}`;
  }
}

const listed = (recipients: readonly Named[]) => recipients.map(({ address, name }) => (name ? { address, name } : { address }));

/** Returns the input of sendMessage. */
export function inputOf(draft: Draft, idempotencyKey: string): SendMessageInput {
  const { from, fromName, to, cc, bcc, replyTo, subject, form, text, html, templateName, params, isStrict, attachments, sendAt } =
    draft;
  const [headers, tags] = [readPairs(draft.headers), readPairs(draft.tags)];
  return {
    to: listed(to),
    ...(cc.length > 0 && { cc: listed(cc) }),
    ...(bcc.length > 0 && { bcc: listed(bcc) }),
    ...(from && { from: { address: from, ...(fromName && { name: fromName }) } }),
    ...(replyTo.trim() && { replyTo: { address: replyTo.trim() } }),
    ...(form === 'template'
      ? { templateName, params: params || '{}', strict: isStrict }
      : { subject, ...(text && { textBody: text }), ...(form === 'html' && html && { htmlBody: html }) }),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ fileId, name, contentId }) => ({ fileId, name, ...(contentId && { contentId }) })),
    }),
    ...(headers.length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(sendAt && { sendAt }),
    idempotencyKey,
  };
}
