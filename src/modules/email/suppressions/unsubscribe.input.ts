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

/** Validates a URL for a header line (RFC 2369), between angle brackets. Returns the error message, or undefined. */
function urlFault(url: string): string | undefined {
  if (!/^[!-~]+$/.test(url) || /[<>,"\\]/.test(url)) return 'must be an ASCII URL; percent-encode other characters';
  if (!URL.canParse(url) || !/^https:\/\/[^/]/i.test(url)) return 'must begin with https://';
  const { username, password } = new URL(url);
  return username || password ? 'must not contain a user name or a password' : undefined;
}

export const UnsubscribeInput = input(
  'UnsubscribeInput',
  {
    registerIn: EmailSchema,
    description:
      'One-click unsubscribe from a list (RFC 8058): adds List-Unsubscribe and ' +
      'List-Unsubscribe-Post to the message, and passes unsubscribeUrl to its template.',
  },
  {
    list: listRules.describe(
      `Name of the list, such as news: 1 to ${MAX_LIST_BYTES} bytes on one line, case-sensitive, visible to the recipient.`,
    ),
    url: ownUrl
      .nullish()
      .describe(
        'https URL of the application, to replace that of this service. The application handles GET and POST there, and unsubscribes ' +
          'the recipient itself, for example by createSuppressions.',
      ),
  },
);
