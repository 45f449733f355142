import { generateKeyPair, type KeyPairKeyObjectResult, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { TenantSemaphore } from '../../../common/scheduling/tenant-semaphore.js';
import { toBase32 } from '../../../common/base/base32.js';

/** RSA, and Ed25519 (RFC 8463), which not every verifier knows. */
export const ALGORITHMS = ['rsa', 'ed25519'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
/** The algorithm that every verifier knows (RFC 8301), and that no domain is without. */
export const NEEDED = 'rsa' satisfies Algorithm;

/** Keys as a row has them, in base64. */
export type KeyTexts = Record<Algorithm, string>;

/** Keys of a domain, with the beginning of the names that their records stand at. */
export interface DomainKeys {
  selector: string;
  /** As the records have them: SubjectPublicKeyInfo of RSA, and the bare key of Ed25519 (RFC 8463, 4.2). */
  publicKeys: KeyTexts;
  /** In PKCS #8. */
  privateKeys: KeyTexts;
}

/** The least that RFC 8301 recommends, and the most that one string of a TXT record after another takes everywhere. */
const RSA_BITS = 2_048;
/** The bare key at the end of SubjectPublicKeyInfo. */
const ED25519_BYTES = 32;
const SELECTOR_BYTES = 5;
const MAX_WAIT_MS = 20_000;

const generate = promisify(generateKeyPair);

/** Makes keys of domains. An RSA key takes a processor for a part of a second, so a process makes one at a time. */
export class DomainKeyMaker {
  private readonly places = new TenantSemaphore({
    capacity: 1,
    share: 1,
    maxWaitMs: MAX_WAIT_MS,
    maxWaiting: 50,
    maxWaitingOfTenant: 10,
    busy: 'Too many keys of domains are being made; try again later',
  });

  /** @throws SERVICE_UNAVAILABLE while many are being made */
  async make(tenantId: string): Promise<DomainKeys> {
    await this.places.take(tenantId, 1);
    try {
      const rsa = await generate('rsa', { modulusLength: RSA_BITS });
      const ed25519 = await generate('ed25519');
      return {
        selector: `ps${toBase32(randomBytes(SELECTOR_BYTES))}`,
        publicKeys: { rsa: base64(publicOf(rsa)), ed25519: base64(publicOf(ed25519).subarray(-ED25519_BYTES)) },
        privateKeys: { rsa: base64(privateOf(rsa)), ed25519: base64(privateOf(ed25519)) },
      };
    } finally {
      this.places.release(tenantId, 1);
    }
  }
}

const publicOf = ({ publicKey }: KeyPairKeyObjectResult): Buffer => publicKey.export({ format: 'der', type: 'spki' });
const privateOf = ({ privateKey }: KeyPairKeyObjectResult): Buffer => privateKey.export({ format: 'der', type: 'pkcs8' });
const base64 = (bytes: Buffer): string => bytes.toString('base64');

/** Returns the selector of a key (RFC 6376). */
export const selectorOf = (selector: string, algorithm: Algorithm): string => `${selector}-${algorithm}`;
