import { generateKeyPair, type KeyPairKeyObjectResult, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { TenantSemaphore } from '../../../common/scheduling/tenant-semaphore.js';
import { toBase32 } from '../../../common/base/base32.js';

/** Key algorithms: RSA, and Ed25519 (RFC 8463), which not every verifier supports. */
export const ALGORITHMS = ['rsa', 'ed25519'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
/** Mandatory algorithm, supported by every verifier (RFC 8301). */
export const NEEDED = 'rsa' satisfies Algorithm;

/** Stored keys in base64. */
export type KeyTexts = Record<Algorithm, string>;

/** Keys of a domain, with the common prefix of their selectors. */
export interface DomainKeys {
  selector: string;
  /** Public keys as in DNS records: SubjectPublicKeyInfo for RSA, the bare key for Ed25519 (RFC 8463, 4.2). */
  publicKeys: KeyTexts;
  /** Private keys in PKCS #8. */
  privateKeys: KeyTexts;
}

/** Minimum recommended by RFC 8301, and practical maximum for TXT records. */
const RSA_BITS = 2_048;
/** Length of the bare key at the end of SubjectPublicKeyInfo. */
const ED25519_BYTES = 32;
const SELECTOR_BYTES = 5;
const MAX_WAIT_MS = 20_000;

const generate = promisify(generateKeyPair);

/** Generates domain keys, one at a time per process: an RSA key takes a fraction of a second of processor time. */
export class DomainKeyMaker {
  private readonly places = new TenantSemaphore({
    capacity: 1,
    share: 1,
    maxWaitMs: MAX_WAIT_MS,
    maxWaiting: 50,
    maxWaitingOfTenant: 10,
    busy: 'Too many domain keys are being generated; retry later',
  });

  /** Generates the keys of a domain. @throws SERVICE_UNAVAILABLE if the queue is full */
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

/** Returns the DKIM selector of a key (RFC 6376). */
export const selectorOf = (selector: string, algorithm: Algorithm): string => `${selector}-${algorithm}`;
