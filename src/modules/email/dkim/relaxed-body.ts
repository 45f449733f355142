import { createHash } from 'node:crypto';

const CRLF = '\r\n';

/**
 * Hashes the body of a mail in relaxed canonical form (RFC 6376, 3.4.4), while it passes. Texts are bytes as Latin-1. Every line break
 * counts as CRLF, which the mail server gets for it.
 */
export class RelaxedBody {
  private readonly hash = createHash('sha256');
  /** The beginning of a line. */
  private line = '';
  /** How many line breaks at the end of what was hashed count only if more follows. */
  private breaks = 0;
  private isEmpty = true;

  write(text: string): void {
    const lines = this.line + text;
    const end = lines.lastIndexOf('\n') + 1;
    this.line = lines.slice(end);
    this.take(lines.slice(0, end));
  }

  /** Ends the body, and returns its hash in base64. */
  digest(): string {
    if (this.line !== '') this.take(this.line + CRLF);
    return this.hash.update(this.isEmpty ? '' : CRLF).digest('base64');
  }

  private take(lines: string): void {
    const text = lines
      .replaceAll(/\r\n?|\n/g, CRLF)
      .replaceAll(/[\t ]+/g, ' ')
      .replaceAll(` ${CRLF}`, CRLF);
    let end = text.length;
    while (text.endsWith(CRLF, end)) end -= CRLF.length;
    if (end > 0) {
      this.hash.update(CRLF.repeat(this.breaks) + text.slice(0, end), 'latin1');
      this.breaks = 0;
      this.isEmpty = false;
    }
    this.breaks += (text.length - end) / CRLF.length;
  }
}
