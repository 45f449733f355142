import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { ClientOptions } from 'minio';
import { inTime } from '../../../../common/base/in-time.js';

/** How long one source of credentials may take to answer. */
const SOURCE_MS = 1_000;
/** How long all sources together may take. */
const CHAIN_MS = 5_000;

type Provider = NonNullable<ClientOptions['credentialsProvider']>;

/**
 * Provides the credentials of the role of this machine, container or pod, from the same sources as the tools of AWS. The
 * credentials are temporary; they are cached, and renewed before they expire.
 */
export class RoleCredentials {
  private readonly chain = defaultProvider({ timeout: SOURCE_MS, maxRetries: 1 });

  /** The provider that the SDK of the store calls before each request. */
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

  /** Whether a URL signed now stays valid for this long: it expires with the credentials. */
  async lastFor(seconds: number): Promise<boolean> {
    const { expiration } = await this.current();
    return expiration === undefined || expiration.getTime() >= Date.now() + seconds * 1_000;
  }

  private async current() {
    try {
      return await inTime(this.chain(), CHAIN_MS, 'no source of credentials answered');
    } catch (error) {
      const remedy = 'give MINIO_ACCESS_KEY and MINIO_SECRET_KEY, or run where AWS gives a role';
      throw new Error(`there are no credentials for the store; ${remedy} (${(error as Error).message})`, { cause: error });
    }
  }
}
