import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { ClientOptions } from 'minio';
import { inTime } from '../../../../common/base/in-time.js';

/** Timeout of one credential source. */
const SOURCE_MS = 1_000;
/** Timeout of all credential sources together. */
const CHAIN_MS = 5_000;

type Provider = NonNullable<ClientOptions['credentialsProvider']>;

/**
 * Provides temporary credentials of the machine's, container's or pod's role, from the sources that AWS tools use. Caches them, and
 * renews them before they expire.
 */
export class RoleCredentials {
  private readonly chain = defaultProvider({ timeout: SOURCE_MS, maxRetries: 1 });

  /** Credential provider that the SDK calls before each request. */
  readonly provider = {
    getCredentials: async () => {
      const { accessKeyId, secretAccessKey, sessionToken } = await this.current();
      return {
        getAccessKey: () => accessKeyId,
        getSecretKey: () => secretAccessKey,
        getSessionToken: () => sessionToken,
      };
    },
  } as unknown as Provider;

  /** Returns true if a URL signed now stays valid for this time. URLs expire with the credentials. */
  async lastFor(seconds: number): Promise<boolean> {
    const { expiration } = await this.current();
    return expiration === undefined || expiration.getTime() >= Date.now() + seconds * 1_000;
  }

  private async current() {
    try {
      return await inTime(this.chain(), CHAIN_MS, 'no credential source responded');
    } catch (error) {
      const remedy = 'set S3_ACCESS_KEY and S3_SECRET_KEY, or run with an AWS role';
      throw new Error(`there are no credentials for the store; ${remedy} (${(error as Error).message})`, { cause: error });
    }
  }
}
