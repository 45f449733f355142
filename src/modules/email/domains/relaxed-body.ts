import { createHash } from 'node:crypto';

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const CRLF = '\r\n';

/**
 * Streaming hash of a mail body in relaxed canonical form (RFC 6376, 3.4.4). Every line break counts as CRLF, its form on the wire. Works
 * on bytes: strings would double the garbage of large mails.
 */
export class RelaxedBody {
  private readonly hash = createHash('sha256');
  private canonical = Buffer.alloc(0);
  private previous = 0;
  /** Pending line breaks, which count only if content follows. */
  private breaks = 0;
  private isEmpty = true;

  write(bytes: Buffer): void {
    // Upper bound: a byte expands to CRLF, and the pending bytes to CRLF and a space.
    const size = bytes.length * 2 + 3;
    if (this.canonical.length < size) this.canonical = Buffer.allocUnsafe(size);
    const { canonical } = this;
    let { previous, breaks } = this;
    let end = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index]!;
      if (byte === CR || byte === LF) {
        if (byte === CR || previous !== CR) breaks++;
      } else if (byte !== SPACE && byte !== TAB) {
        if (breaks > 1) {
          this.hash.update(canonical.subarray(0, end)).update(CRLF.repeat(breaks));
          end = 0;
        } else if (breaks === 1) {
          canonical[end++] = CR;
          canonical[end++] = LF;
        }
        breaks = 0;
        if (previous === SPACE || previous === TAB) canonical[end++] = SPACE;
        canonical[end++] = byte;
        this.isEmpty = false;
      }
      previous = byte;
    }
    this.previous = previous;
    this.breaks = breaks;
    this.hash.update(canonical.subarray(0, end));
  }

  /** Ends the body, and returns its hash in base64. */
  digest(): string {
    return this.hash.update(this.isEmpty ? '' : CRLF).digest('base64');
  }
}
