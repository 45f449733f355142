import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { ClientOptions } from 'minio';
import { inTime } from '../../../../common/bounds/in-time.js';

/** How long a source of credentials may be silent. */
const SOURCE_MS = 1_000;
/** How long all sources together may take. */
const CHAIN_MS = 5_000;

type Provider = NonNullable<ClientOptions['credentialsProvider']>;

/**
 * Credentials of the role of this machine, container or pod, from the sources in which programs of AWS look for them. They are
 * temporary, kept, and renewed before they expire.
 */
export class RoleCredentials {
  private readonly chain = defaultProvider({ timeout: SOURCE_MS, maxRetries: 1 });

  /** In the form in which the SDK of the store asks for them, before each request. */
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

  /** Whether an address that is signed now works for as long: it ends with the credentials. */
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
