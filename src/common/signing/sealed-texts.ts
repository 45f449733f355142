import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { DerivedKey } from './signer.js';
import { Signing } from './signer.js';

const CIPHER = 'aes-256-gcm';
/** Lengths of the nonce and of the tag (NIST SP 800-38D). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets that the server must be able to read, such as those of webhooks, with a key derived from SECRET_KEY. The context,
 * such as table and id of a row, is authenticated with the text, so a sealed text is useless in another row.
 */
@Injectable()
export class SealedTexts {
  private readonly keys: DerivedKey<Buffer>[];

  constructor(signing: Signing) {
    this.keys = signing.keys('sealed-texts');
  }

  /** Returns the id of the secret and the encrypted text, in base64url. */
  seal(text: string, context: string): string {
    const { id, key } = this.keys[0]!;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${id}.${Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url')}`;
  }

  /** Decrypts a text. @throws Error for another context, an altered text, or a secret unknown to this node */
  open(sealed: string, context: string): string {
    const [id, content = ''] = sealed.split('.', 2);
    const { key } = this.keys.find((one) => one.id === id) ?? {};
    if (!key) throw new Error('a stored secret needs a SECRET_KEY that this node does not know; add it to SECRET_KEYS_OLD');
    const bytes = Buffer.from(content, 'base64url');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  /** Returns the id of the secret under which a text is sealed. */
  secretOf(sealed: string): string {
    return sealed.slice(0, sealed.indexOf('.'));
  }

  /** Returns whether a text is sealed under the current SECRET_KEY. */
  isCurrent(sealed: string): boolean {
    return this.secretOf(sealed) === this.keys[0]!.id;
  }
}
