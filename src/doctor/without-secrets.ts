import type { Config } from '../common/config/config.js';
import { serversOf } from '../common/config/database-servers.js';
import type { Finding } from './doctor.js';

const LEAST_CHARACTERS = 4;

/** Replaces every secret of the settings in the texts of a finding: drivers quote addresses and answers in their errors. */
export function withoutSecrets(finding: Finding, config: Config): Finding {
  const clean = (text: string) => secretsOf(config).reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  return { ...finding, detail: clean(finding.detail), ...(finding.advice && { advice: clean(finding.advice) }) };
}

function secretsOf({ secretKey, secretKeysOld, bootstrapApiKey, minio, smtp, redis, databaseUrl }: Config): string[] {
  const redisPassword = redis && ('url' in redis ? passwordOf(redis.url) : redis.password);
  const passwords = [passwordOf(serversOf(databaseUrl)[0]), passwordOf(smtp?.url), redisPassword];
  const others = [
    secretKey,
    ...secretKeysOld,
    bootstrapApiKey,
    minio?.secretKey,
    smtp?.oauth?.clientSecret,
    smtp?.oauth?.refreshToken,
  ];
  const secrets = [...passwords, ...others].filter((one) => one !== undefined && one.length >= LEAST_CHARACTERS) as string[];
  // The longest first: one may be a part of another.
  return secrets.flatMap((one) => [one, encodeURIComponent(one)]).sort((a, b) => b.length - a.length);
}

function passwordOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? decodeURIComponent(new URL(url).password) : undefined;
}
