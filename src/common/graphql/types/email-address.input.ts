import type { Type } from '@nestjs/common';
import { asCount } from '../../base/amounts.js';
import { displayNameFault } from '../../base/display-name.js';
import { addressRules, MAX_ADDRESS } from '../../base/email-address.js';
import { line, MAX_NAME } from '../../base/text.js';
import { type Checked, input } from './input.js';

/** Declares EmailAddressInput in the schema of a service. */
export const emailAddressInput = (registerIn: Type) =>
  input(
    'EmailAddressInput',
    { registerIn, description: 'Email address with an optional name.' },
    {
      address: addressRules.describe(
        `Email address of at most ${MAX_ADDRESS} characters. ASCII before the @; the domain may be internationalized, and its letter case is ` +
          'ignored.',
      ),
      name: line({ max: MAX_NAME })
        .nullish()
        .describe(
          `Display name: up to ${asCount(MAX_NAME)} characters, no line breaks or other control characters, and no email address other than this one.`,
        ),
    },
    (rules) =>
      rules
        .superRefine(({ address, name }, context) => {
          const fault = typeof name === 'string' ? displayNameFault(name, address) : undefined;
          if (fault) context.addIssue({ code: 'custom', path: ['name'], message: fault });
        })
        .transform(({ address, name }) => ({ address, name: name?.trim() || null })),
  );
/** Email address as checked by EmailAddressInput. */
export type NamedAddress = Checked<ReturnType<typeof emailAddressInput>>;
