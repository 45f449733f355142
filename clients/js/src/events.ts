import type { EventObjects as MailObjects } from './generated/email.js';
import type { EventObjects as FileObjects } from './generated/files.js';
import type { EventObjects as LogObjects } from './generated/log.js';
import type { EventObjects as PushObjects } from './generated/push.js';
import type { EventObjects as RenderingObjects } from './generated/rendering.js';
import type { Takes } from './selection.js';

type ObjectType = { readonly __typename: string };
type IsShown<K, F> = K extends '__typename' ? false : NonNullable<F> extends Takes<unknown, unknown> ? false : true;

/** An object as the API shows it, with all fields except those with arguments, such as signed URLs. */
type Shown<F> = F extends readonly (infer E)[]
  ? Shown<E>[]
  : F extends ObjectType
    ? { -readonly [K in keyof F as IsShown<K, F[K]> extends true ? K : never]: Shown<F[K]> }
    : F;
type Sparse<F> = F extends object ? { [K in keyof F]?: Sparse<F[K]> } : F;

/** Omits the content of a mail, the edits of a record, and values of a record that the application did not give. */
type Data<F> = F extends { readonly __typename: 'EmailMessage' | 'RecipientMail' }
  ? Omit<Shown<F>, 'content'>
  : F extends { readonly __typename: 'Log' }
    ? Sparse<Omit<Shown<F>, 'id' | 'edits'>> & { id: string }
    : Shown<F>;

/** A CloudEvents 1.0 object. Over 256 KiB it has `datatruncated`, and only the id of its object. */
interface Event<Source extends string, Type extends string> {
  specversion: '1.0';
  /** Id of the event, the same in each attempt and for each webhook. */
  id: string;
  /** Service of the event. */
  source: Source;
  type: Type;
  /** Time of the event, such as `2026-11-25T12:00:00.000Z`. */
  time: string;
  /** Id of the object. */
  subject: string;
  datacontenttype: 'application/json';
  /** True for a sample of `testWebhook`. */
  test?: true;
}
type Whole<D> = { data: D; datatruncated?: undefined };
type Truncated = { data: { id: string }; datatruncated: true };
/** One member per type, so that `event.type === 'file.done'` narrows. */
type Events<Source extends string, Objects> = {
  [Type in keyof Objects & string]: Event<Source, Type> & (Whole<Data<Objects[Type]>> | Truncated);
}[keyof Objects & string];

/** An event of File Management. */
export type FileEvent = Events<'/file-management', FileObjects>;

/** An event of WebSockets. */
export type PushEvent = Events<'/websockets-manager', PushObjects>;

/** An event of Email. */
export type MailEvent = Events<'/email', MailObjects>;

/** An event of the Document Log. */
export type LogEvent = Events<'/document-log', LogObjects>;

/** An event of Document Rendering. */
export type RenderingEvent = Events<'/document-rendering', RenderingObjects>;

/** The event that `testWebhook` sends; its subject is the webhook. */
export type PingEvent = Event<PlatformSource, 'ping'> & Whole<Record<string, never>>;
type PlatformSource = (FileEvent | PushEvent | MailEvent | LogEvent | RenderingEvent)['source'];

/** An event as sent to a webhook. Ignore values of `type` that you do not know, since a newer server may have more. */
export type PlatformEvent = FileEvent | PushEvent | MailEvent | LogEvent | RenderingEvent | PingEvent;
