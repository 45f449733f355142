import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { TenantSemaphore } from '../../../common/bounds/tenant-semaphore.js';
import { toBase32 } from '../return-paths/base32.js';

/** The algorithm that every verifier knows (RFC 8301). */
export const ALGORITHMS = ['rsa'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A key of each algorithm, in base64. */
export type KeyTexts = Record<Algorithm, string>;

/** Keys of a domain, with the beginning of the names that their records stand at. */
export interface DomainKeys {
  selector: string;
  /** As the records have them: SubjectPublicKeyInfo. */
  publicKeys: KeyTexts;
  /** In PKCS #8. */
  privateKeys: KeyTexts;
}

/** The least that RFC 8301 recommends, and the most that one string of a TXT record after another takes everywhere. */
const RSA_BITS = 2_048;
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
      const rsa = await generate('rsa', {
        modulusLength: RSA_BITS,
        publicKeyEncoding: { type: 'spki', format: 'der' },
        privateKeyEncoding: { type: 'pkcs8', format: 'der' },
      });
      const base64 = (bytes: Buffer): string => bytes.toString('base64');
      return {
        selector: `ps${toBase32(randomBytes(SELECTOR_BYTES))}`,
        publicKeys: { rsa: base64(rsa.publicKey) },
        privateKeys: { rsa: base64(rsa.privateKey) },
      };
    } finally {
      this.places.release(tenantId, 1);
    }
  }
}

/** Returns the selector of a key (RFC 6376). */
export const selectorOf = (selector: string, algorithm: Algorithm): string => `${selector}-${algorithm}`;
