import { type BundleReport, InvalidBundle, type Trusted } from './bundle-report.js';
import { BundleVerifier } from './bundle-verifier.js';

/** Bound on line length, above the longest record. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Verifies a bundle as a stream. @throws InvalidBundle */
export async function verifyBundle(content: AsyncIterable<Buffer>, trusted: Trusted): Promise<BundleReport> {
  const verifier = new BundleVerifier(trusted);
  for await (const line of linesOf(content)) verifier.readLine(line);
  return verifier.finish();
}

/** Splits at line feeds only: texts can contain other separators. */
async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield textOf([...parts, chunk.subarray(from, end)]);
      [parts, length, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) throw new InvalidBundle('a line is longer than a bundle permits');
  }
  if (length > 0) throw new InvalidBundle('the bundle is truncated within a line; export it again');
}

function textOf(parts: Buffer[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new InvalidBundle('a line is not UTF-8');
  }
}
