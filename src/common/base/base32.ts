/** RFC 4648, in lower case: the same text in any letter case, as some mail servers change it. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes bytes, of which there must be a multiple of five, so that the text needs no padding and has one spelling only. */
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

/** Decodes what `toBase32` returns. The characters must be of its alphabet. */
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
