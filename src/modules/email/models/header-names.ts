/** Maximum headers added to a message. */
export const MAX_HEADERS = 30;
export const MAX_HEADER_NAME = 64;
/** Maximum characters of a value. With the longest name, a line stays below the 998 octets of RFC 5322. */
export const MAX_HEADER_VALUE = 900;
/** Maximum bytes of all added headers of a message. */
export const MAX_HEADERS_BYTES = 16 * 1024;
export const MAX_TAGS = 10;
export const MAX_TAG_NAME = 64;
export const MAX_TAG_VALUE = 256;

const ALLOWED = /^(?:x-[a-z0-9-]+|list-[a-z0-9-]+|in-reply-to|references|precedence|feedback-id|auto-submitted)$/i;
const TEXT = /^(?:x-|feedback-id$)/i;
/** Headers reserved for the service, which signs the links in them. */
const OWN = /^list-unsubscribe(?:-post)?$/i;

/** Validates the name of a header. Returns the error message, or undefined. */
export function headerNameFault(name: string): string | undefined {
  if (OWN.test(name)) return 'must not be List-Unsubscribe or List-Unsubscribe-Post; use the field unsubscribe';
  if (ALLOWED.test(name)) return undefined;
  return 'must be X-…, List-…, In-Reply-To, References, Precedence, Feedback-ID or Auto-Submitted, of letters, digits and hyphens';
}

/** Returns true for a free text header (unstructured in RFC 5322), which may contain encoded words. */
export const isText = (name: string): boolean => TEXT.test(name);

const IDS = /^<[!-;=?-~]+@[!-;=?-~]+>(?: <[!-;=?-~]+@[!-;=?-~]+>)*$/;
const WORD = /^[a-z0-9-]+$/i;
const LIST_ID = /^(?:[^<>]* )?<[a-z0-9.-]+>$/i;
const PRINTED = /^[!-~]+(?: [!-~]+)*$/;

/** Validates the value of a header. Returns the error message, or undefined. */
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
        : 'must be an id such as <news.example.com>, optionally preceded by a text (RFC 2919)';
    default:
      return PRINTED.test(value) ? undefined : 'must be ASCII, with one space between words (RFC 2369)';
  }
}
