import { Injectable } from '@nestjs/common';
import { type Signer, Signing } from '../common/signing/signer.js';
import type { Checks } from './issuer.js';

export const SIGN_IN_SECONDS = 600;

/** Sign-in that has begun: what its answer is checked by, and the page to open then. */
export interface Begun extends Checks {
  to: string;
  /** Time of expiry in milliseconds. */
  endsAt: number;
}

/** Keeps begun sign-ins in a signed cookie of their browser, so that only this browser can end them, on any node. */
@Injectable()
export class SignInState {
  private readonly signer: Signer;

  constructor(signing: Signing) {
    this.signer = signing.for('sign-in');
  }

  seal(checks: Checks, to: string): string {
    const begun: Begun = { ...checks, to, endsAt: Date.now() + SIGN_IN_SECONDS * 1_000 };
    const text = Buffer.from(JSON.stringify(begun)).toString('base64url');
    return `${text}.${this.signer.sign(text)}`;
  }

  /** Returns undefined for a foreign, altered or expired text. */
  open(sealed: string | undefined): Begun | undefined {
    const [text = '', signature = ''] = sealed?.split('.') ?? [];
    if (!this.signer.verify(signature, text)) return undefined;
    const begun = JSON.parse(Buffer.from(text, 'base64url').toString()) as Begun;
    return begun.endsAt > Date.now() ? begun : undefined;
  }
}
