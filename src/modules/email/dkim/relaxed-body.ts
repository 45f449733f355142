import { createHash } from 'node:crypto';

const [CR, LF, SPACE, TAB] = [0x0d, 0x0a, 0x20, 0x09];
const CRLF = '\r\n';

/**
 * Hashes the body of a mail in relaxed canonical form (RFC 6376, 3.4.4), while it passes. Every line break counts as CRLF, which the
 * mail server gets for it. Bytes and not strings, of which large mails would leave twice the garbage.
 */
export class RelaxedBody {
  private readonly hash = createHash('sha256');
  private canonical = Buffer.alloc(0);
  /** How many line breaks, and whether white space, count only if more follows. */
  private breaks = 0;
  private hasGap = false;
  private isAfterCr = false;
  private isEmpty = true;

  write(bytes: Buffer): void {
    // A byte becomes CRLF at most, and what waits of earlier bytes CRLF and a space.
    const size = bytes.length * 2 + 3;
    if (this.canonical.length < size) this.canonical = Buffer.allocUnsafe(size);
    let end = 0;
    for (const byte of bytes) {
      if (byte === CR || byte === LF) {
        if (byte === CR || !this.isAfterCr) this.breaks++;
        this.hasGap = false;
      } else if (byte === SPACE || byte === TAB) {
        this.hasGap = true;
      } else {
        end = this.add(byte, end);
      }
      this.isAfterCr = byte === CR;
    }
    this.hash.update(this.canonical.subarray(0, end));
  }

  /** Ends the body, and returns its hash in base64. */
  digest(): string {
    return this.hash.update(this.isEmpty ? '' : CRLF).digest('base64');
  }

  /** Adds a byte of a line, after what waited for it, and returns the new end. */
  private add(byte: number, at: number): number {
    const { canonical } = this;
    let end = at;
    if (this.breaks > 1) {
      this.hash.update(canonical.subarray(0, end)).update(CRLF.repeat(this.breaks));
      end = 0;
    } else if (this.breaks === 1) {
      canonical[end++] = CR!;
      canonical[end++] = LF!;
    }
    this.breaks = 0;
    if (this.hasGap) canonical[end++] = SPACE!;
    this.hasGap = false;
    canonical[end++] = byte;
    this.isEmpty = false;
    return end;
  }
}
