import { input } from '../../../common/graphql/types/input.js';
import { line } from '../../../common/base/text.js';
import { MAX_LIST_BYTES } from '../models/limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { listRules } from './suppression.inputs.js';

const MAX_URL = 800;

const ownUrl = line({ max: MAX_URL }).superRefine((url, context) => {
  const fault = urlFault(url);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

/** Validates a URL that is written into a header line (RFC 2369), between angle brackets. Returns the fault, or undefined. */
function urlFault(url: string): string | undefined {
  if (!/^[!-~]+$/.test(url) || /[<>,"\\]/.test(url)) return 'must be a URL in ASCII, with other characters in percent-encoding';
  if (!URL.canParse(url) || !/^https:\/\/[^/]/i.test(url)) return 'must begin with https://';
  const { username, password } = new URL(url);
  return username || password ? 'must not have a user name or a password' : undefined;
}

export const UnsubscribeInput = input(
  'UnsubscribeInput',
  {
    registerIn: EmailSchema,
    description:
      'Lets the recipient end the mails of a list by one click (RFC 8058): the message has List-Unsubscribe and ' +
      'List-Unsubscribe-Post, and its template reads the address as unsubscribeUrl.',
  },
  {
    list: listRules.describe(
      `The name of the list, such as news: 1 to ${MAX_LIST_BYTES} bytes on one line; the letter case counts. The recipient sees it.`,
    ),
    url: ownUrl
      .nullish()
      .describe(
        'An https address of the application, in place of one of this service. The application answers there to GET and POST, and ends ' +
          'the mails itself, such as with createSuppressions.',
      ),
  },
);
