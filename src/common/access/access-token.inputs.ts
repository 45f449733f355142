import type { Type } from '@nestjs/common';
import { z } from 'zod';
import { asCount } from '../base/amounts.js';
import { MAX_NAME, text } from '../base/text.js';
import { type Given, id, input } from '../graphql/types/input.js';
import {
  MAX_ORIGINS,
  MAX_TOKEN_ENTRIES,
  MAX_TOKEN_LENGTH,
  MAX_TOKEN_SECONDS,
  MIN_TOKEN_SECONDS,
} from '../tokens/access-tokens.js';

const SECONDS = `must be from ${MIN_TOKEN_SECONDS} to ${MAX_TOKEN_SECONDS} seconds`;

/** Scope entry, without spaces, which separate stored entries. */
const entry = text({ min: 1, max: MAX_NAME }).refine((value) => !/\s/.test(value), 'must be one entry, without spaces');

const isOrigin = (value: string): boolean => URL.canParse(value) && /^https?:\/\//.test(value) && new URL(value).origin === value;
const origin = text({ max: MAX_NAME }).refine(
  isOrigin,
  'must be an origin as sent by browsers: http://<domain> or https://<domain>, in lower case, without a path',
);

const recipient = text({ min: 1, max: MAX_NAME });
const filePrefix = text({ min: 1, max: MAX_NAME }).refine(
  (value) => !value.split(/[\\/]/).includes('..'),
  'must not have a .. segment, which no file name has',
);

/** Inputs of one schema. */
export type AccessInputs = ReturnType<typeof accessInputs>;
export type AccessTokenInput = Given<AccessInputs['AccessTokenInput']>;
export type DenyAccessInput = Given<AccessInputs['DenyAccessInput']>;

/** Creates the inputs of a service. `registerIn` selects their schema. */
export const accessInputs = (registerIn: Type) => ({
  AccessTokenInput: tokenInput(registerIn),
  DenyAccessInput: denialInput(registerIn),
});

const tokenInput = (registerIn: Type) =>
  input(
    'AccessTokenInput',
    { registerIn, description: `Token to create. It has at most ${asCount(MAX_TOKEN_LENGTH)} characters.` },
    {
      scope: z
        .array(entry)
        .min(1, 'must have at least one entry, such as file-management-api:query:*')
        .max(MAX_TOKEN_ENTRIES, `must have at most ${MAX_TOKEN_ENTRIES} entries`)
        .describe(`Part of the key's scope, of any service, 1 to ${MAX_TOKEN_ENTRIES} entries.`),
      expiresIn: z
        .int()
        .min(MIN_TOKEN_SECONDS, SECONDS)
        .max(MAX_TOKEN_SECONDS, SECONDS)
        .describe(
          `Lifetime in seconds, ${MIN_TOKEN_SECONDS} to ${asCount(MAX_TOKEN_SECONDS)}. The token does not outlive its key.`,
        ),
      recipient: recipient
        .nullish()
        .describe(
          `Only recipient that the token can use, 1 to ${asCount(MAX_NAME)} characters: operations of pushes with a recipient, which ` +
            'must be this one. Excludes other services, except files with a filePrefix.',
        ),
      filePrefix: filePrefix
        .nullish()
        .describe(
          `Beginning of the names of the only files that the token can use, 1 to ${asCount(MAX_NAME)} characters, case-sensitive: ` +
            'operations of files that name one, or a folder or prefix. Excludes other services, except pushes with a recipient.',
        ),
      origins: z
        .array(origin)
        .min(1, 'must have at least one origin')
        .max(MAX_ORIGINS, `must have at most ${MAX_ORIGINS} origins`)
        .nullish()
        .describe(
          `Origins of pages that may send the token and read the answers, 1 to ${MAX_ORIGINS}; requests without one of them as ` +
            'Origin are refused. By default, no page of another origin can read answers.',
        ),
    },
  );

const denialInput = (registerIn: Type) =>
  input(
    'DenyAccessInput',
    { registerIn, description: 'Tokens to end: either of a key, or for a recipient.' },
    {
      keyId: id(text({ min: 1, max: MAX_NAME }))
        .nullish()
        .describe('Id of a key of the tenant, to end all of its tokens. GET /key shows it to the holder of a key.'),
      recipient: recipient
        .nullish()
        .describe(`Recipient that tokens are bound to, 1 to ${asCount(MAX_NAME)} characters, to end these tokens.`),
    },
    (rules) =>
      rules.refine(
        ({ keyId, recipient: name }) => (typeof keyId === 'string') !== (typeof name === 'string'),
        'must have either keyId or recipient',
      ),
  );
