import { z } from 'zod';
import { domainName, whole } from './setting-rules.js';

/** Where bounces of mails go, and who takes them. */
export const bounceEnvironment = {
  RETURN_PATH_DOMAIN: domainName('RETURN_PATH_DOMAIN')
    .optional()
    .describe(
      'domain of the addresses that bounces are returned to, one for each mail and recipient; its MX record names who takes them ' +
        '(none: bounces go to the sender)',
    )
    .meta({ example: 'bounces.example.com' }),
  BOUNCE_PORT: whole('BOUNCE_PORT', 0, 65_535)
    .optional()
    .describe('port on which this server takes bounces by SMTP, for RETURN_PATH_DOMAIN; 0 picks a free one (none: no such port)')
    .meta({ example: 2525 }),
  BOUNCE_HOST: z.string().optional().describe('address to take bounces on (HOST)').meta({ example: '0.0.0.0' }),
};

interface BounceEnvironment {
  HOST: string;
  RETURN_PATH_DOMAIN?: string;
  BOUNCE_PORT?: number;
  BOUNCE_HOST?: string;
}

export function bounceSettings(env: BounceEnvironment) {
  const { RETURN_PATH_DOMAIN: returnPathDomain, BOUNCE_PORT: port, BOUNCE_HOST: host = env.HOST } = env;
  return {
    /** Domain of the envelope senders of mails; undefined: they are the senders. */
    returnPathDomain,
    /** Where bounces are taken by SMTP; undefined: nowhere. */
    bounceListener: port === undefined ? undefined : { port, host },
  };
}
