/** Base32 alphabet of RFC 4648, in lower case. Base32 survives mail servers that change the letter case. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes bytes. Their number must be a multiple of five, so that the text has no padding and a single spelling. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >>> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return text;
}

/** Decodes a text of `toBase32`. All characters must be in its alphabet. */
export function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    held = (held << 5) | ALPHABET.indexOf(character);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >>> bits);
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
