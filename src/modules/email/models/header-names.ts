/** The most headers that a caller can add to one message. */
export const MAX_HEADERS = 30;
export const MAX_HEADER_NAME = 64;
/** With the longest name, a line stays below the 998 octets of RFC 5322. */
export const MAX_HEADER_VALUE = 900;
/** The most bytes of the headers of one message together. */
export const MAX_HEADERS_BYTES = 16 * 1024;
export const MAX_TAGS = 10;
export const MAX_TAG_NAME = 64;
export const MAX_TAG_VALUE = 256;

const ALLOWED = /^(?:x-[a-z0-9-]+|list-[a-z0-9-]+|in-reply-to|references|precedence|feedback-id|auto-submitted)$/i;
const TEXT = /^(?:x-|feedback-id$)/i;
/** Written by the service itself, so that the links in them are signed. */
const OWN = /^list-unsubscribe(?:-post)?$/i;

/** Says what is wrong with the name of a header; undefined if nothing is. */
export function headerNameFault(name: string): string | undefined {
  if (OWN.test(name)) return 'must not be List-Unsubscribe or List-Unsubscribe-Post, which this service writes itself';
  if (ALLOWED.test(name)) return undefined;
  return 'must be X-…, List-…, In-Reply-To, References, Precedence, Feedback-ID or Auto-Submitted, of letters, digits and hyphens';
}

/** Whether the value of a header is free text (unstructured in RFC 5322), in which encoded words stand for other letters. */
export const isText = (name: string): boolean => TEXT.test(name);

const IDS = /^<[!-;=?-~]+@[!-;=?-~]+>(?: <[!-;=?-~]+@[!-;=?-~]+>)*$/;
const WORD = /^[a-z0-9-]+$/i;
const LIST_ID = /^(?:[^<>]* )?<[a-z0-9.-]+>$/i;
const PRINTED = /^[!-~]+(?: [!-~]+)*$/;

/** Says what is wrong with the value of a header; undefined if nothing is. */
export function headerValueFault(name: string, value: string): string | undefined {
  if (isText(name)) return undefined;
  switch (name.toLowerCase()) {
    case 'in-reply-to':
    case 'references':
      return IDS.test(value) ? undefined : 'must be message ids such as <a@b.example>, with one space between them (RFC 5322)';
    case 'precedence':
    case 'auto-submitted':
      return WORD.test(value) ? undefined : 'must be one word, such as bulk or auto-replied';
    case 'list-id':
      return LIST_ID.test(value)
        ? undefined
        : 'must be an id such as <news.example.com>, with a text before it or without (RFC 2919)';
    default:
      return PRINTED.test(value) ? undefined : 'must be ASCII, with one space between words (RFC 2369)';
  }
}
