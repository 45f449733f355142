import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/http/public-address.js';
import { bytesOfUuid, uuidOf } from '../../../common/base/ids.js';
import { type Signer, Signing } from '../../../common/signing/signer.js';

export const UNSUBSCRIBE_PATH = '/email/unsubscribe';
const ID_BYTES = 16;

/** Recipient of a list, as identified by the link in a mail. */
export interface Subscriber {
  tenantId: string;
  /** Id of the message with the link. */
  emailId: string;
  address: string;
  list: string;
}

/**
 * Creates unsubscribe URLs. Each contains recipient and list and is signed, so it needs no row, outlives its message, and does not expire
 * (RFC 8058, 3.1).
 */
@Injectable()
export class UnsubscribeLinks {
  private readonly signer: Signer;

  constructor(
    signing: Signing,
    private readonly publicAddress: PublicAddress,
  ) {
    this.signer = signing.for('unsubscribe');
  }

  linkOf({ tenantId, emailId, address, list }: Subscriber): string {
    const named = Buffer.concat([bytesOfUuid(tenantId), bytesOfUuid(emailId), Buffer.from(`${address}\n${list}`)]);
    const text = named.toString('base64url');
    return `${this.publicAddress.http}${UNSUBSCRIBE_PATH}?token=${text}.${this.signer.sign(text)}`;
  }

  /** Returns the subscriber of a token; undefined if it was not created here. */
  subscriberOf(token: string): Subscriber | undefined {
    const [text = '', signature = ''] = token.split('.', 2);
    if (token !== `${text}.${signature}` || !this.signer.verify(signature, text)) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    const [address = '', list = ''] = bytes.toString('utf8', 2 * ID_BYTES).split('\n');
    return {
      tenantId: uuidOf(bytes.subarray(0, ID_BYTES)),
      emailId: uuidOf(bytes.subarray(ID_BYTES, 2 * ID_BYTES)),
      address,
      list,
    };
  }
}
