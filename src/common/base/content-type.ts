import { z } from 'zod';
import { text } from './text.js';

export const MAX_CONTENT_TYPE = 255;
/** Token of RFC 9110, without characters that could end a header line. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*"))*$`);

/** Token without `*`, the wildcard. */
const NAME = TOKEN.replace('*', '');

/** Rule for a MIME type, or a wildcard such as image/*. */
export const acceptedTypeRules = z
  .string('must not be null')
  .max(MAX_CONTENT_TYPE, `must have at most ${MAX_CONTENT_TYPE} characters`)
  .regex(
    new RegExp(`^${NAME}/(\\*|${NAME})$`),
    'must be a MIME type without parameters, such as image/png, or image/* for all of a kind',
  )
  .toLowerCase();

export const contentTypeRules = text({ max: MAX_CONTENT_TYPE }).regex(
  CONTENT_TYPE,
  'must be a MIME type, such as application/pdf',
);
