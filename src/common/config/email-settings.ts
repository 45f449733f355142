import { isIP } from 'node:net';
import { z } from 'zod';
import { domainName, whole } from './setting-rules.js';

const MAX_SERVERS = 8;
const MAX_SPF = 300;
const SERVERS_RULE = `EMAIL_DNS_SERVERS must be up to ${MAX_SERVERS} IP addresses, separated by commas, such as 10.0.0.53 or [fd00::53]:5353`;
/** Mechanisms (RFC 7208) by which a mail can pass, each optionally followed by a domain, a range or both. */
const MECHANISM =
  /^(?:(?:include|exists):[\w.%{}-]+|(?:a|mx)(?::[\w.-]+)?(?:\/\d{1,3})?|ip4:[\d.]+(?:\/\d{1,2})?|ip6:[\da-f:.]+(?:\/\d{1,3})?)$/i;

/** Rule for name servers, in the format of `Resolver.setServers`. */
const nameServers = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((servers) => servers.length <= MAX_SERVERS && servers.every(isServer), SERVERS_RULE);

const mechanisms = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .refine(
    (text) => text.length <= MAX_SPF && text.split(' ').every((part) => MECHANISM.test(part)),
    `EMAIL_SPF must be mechanisms of SPF, separated by single spaces, such as include:_spf.example.com; up to ${MAX_SPF} characters`,
  );

/** Settings for checking the email domains of tenants. */
export const emailDomainEnvironment = {
  EMAIL_DNS_SERVERS: nameServers
    .optional()
    .describe(
      'name servers to query for the records of email domains: up to 8 of ADDRESS or ADDRESS:PORT,… (those of the system)',
    )
    .meta({ example: '10.0.0.53,10.0.1.53' }),
  EMAIL_SPF: mechanisms
    .optional()
    .describe(
      'mechanisms that the SPF record of an email domain must have for your mail server, such as include:_spf.example.com (none: no SPF ' +
        'record is required)',
    )
    .meta({ example: 'include:_spf.example.com' }),
};

interface EmailDomainEnvironment {
  EMAIL_DNS_SERVERS?: string[];
  EMAIL_SPF?: string;
}

export function emailDomainSettings({ EMAIL_DNS_SERVERS: dnsServers, EMAIL_SPF: spf }: EmailDomainEnvironment) {
  return {
    emailDomains: {
      /** Name servers to query; undefined: those of the system. */
      dnsServers,
      /** Mechanisms required in the SPF records of domains; undefined: none. */
      spf,
    },
  };
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  return isIP(six ?? four ?? '') !== 0 && Number(port) > 0 && Number(port) <= 65_535;
}

/** Settings for bounces: their addresses, and their receipt by SMTP. */
export const bounceEnvironment = {
  RETURN_PATH_DOMAIN: domainName('RETURN_PATH_DOMAIN')
    .optional()
    .describe(
      'domain of the bounce addresses, one per mail and recipient; its MX record names the server that receives bounces ' +
        '(none: bounces go to the sender)',
    )
    .meta({ example: 'bounces.example.com' }),
  BOUNCE_PORT: whole('BOUNCE_PORT', 0, 65_535)
    .optional()
    .describe('port on which this server receives bounces by SMTP, for RETURN_PATH_DOMAIN; 0 picks a free one (none: disabled)')
    .meta({ example: 2525 }),
  BOUNCE_HOST: z.string().optional().describe('address to listen on for bounces (HOST)').meta({ example: '0.0.0.0' }),
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
    /** Domain of the envelope senders of mails; undefined: the envelope sender is the sender. */
    returnPathDomain,
    /** Listener for bounces by SMTP; undefined: none. */
    bounceListener: port === undefined ? undefined : { port, host },
  };
}
