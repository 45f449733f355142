import { text } from './text.js';

export const MAX_CONTENT_TYPE = 255;
/** A type, subtype and parameters of RFC 9110, without characters that could end a header line. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*"))*$`);

export const contentTypeRules = text({ max: MAX_CONTENT_TYPE }).regex(
  CONTENT_TYPE,
  'must be a MIME type, such as application/pdf',
);
