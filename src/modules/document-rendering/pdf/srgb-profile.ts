/** Number of curve samples, and fixed-point scale of profile values. */
const STEPS = 1_024;
const FIXED = 65_536;
/** White point of profiles (D50), and the sRGB primaries adapted to it (IEC 61966-2-1, by Bradford). */
const WHITE = [0.9642, 1, 0.8249];
const RED = [0.436_07, 0.222_49, 0.013_92];
const GREEN = [0.385_15, 0.716_87, 0.097_08];
const BLUE = [0.143_07, 0.060_61, 0.7141];
const NAME = 'sRGB IEC61966-2.1';

/** Generates an sRGB ICC profile (ICC.1:2001-04, version 2.1), so that no third-party profile is shipped. */
export function srgbProfile(): Buffer {
  const curve = curveOf(Array.from({ length: STEPS }, (_, at) => linear(at / (STEPS - 1))));
  const tags: [string, Buffer][] = [
    ['desc', description(NAME)],
    ['cprt', Buffer.concat([signature('text'), Buffer.from('No copyright, use freely\0')])],
    ['wtpt', point(WHITE)],
    ['rXYZ', point(RED)],
    ['gXYZ', point(GREEN)],
    ['bXYZ', point(BLUE)],
    ...['rTRC', 'gTRC', 'bTRC'].map((name): [string, Buffer] => [name, curve]),
  ];
  const table = Buffer.alloc(4 + 12 * tags.length);
  table.writeUInt32BE(tags.length);
  const parts: Buffer[] = [];
  let at = 128 + table.length;
  for (const [index, [name, data]] of tags.entries()) {
    table.write(name, 4 + 12 * index, 'latin1');
    table.writeUInt32BE(at, 8 + 12 * index);
    table.writeUInt32BE(data.length, 12 + 12 * index);
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    parts.push(padded);
    at += padded.length;
  }
  return Buffer.concat([header(at), table, ...parts]);
}

/** Transfer function of sRGB. */
const linear = (value: number): number => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

const signature = (type: string): Buffer => Buffer.from(`${type}\0\0\0\0`, 'latin1');

function header(size: number): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.writeUInt32BE(size);
  bytes.writeUInt32BE(0x0210_0000, 8); // version 2.1
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  for (const [index, value] of [2026, 1, 1].entries()) bytes.writeUInt16BE(value, 24 + 2 * index);
  bytes.write('acsp', 36, 'latin1');
  for (const [index, value] of WHITE.entries()) bytes.writeUInt32BE(Math.round(value * FIXED), 68 + 4 * index);
  return bytes;
}

function point(values: number[]): Buffer {
  const bytes = Buffer.alloc(12);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(Math.round(value * FIXED), 4 * index);
  return Buffer.concat([signature('XYZ '), bytes]);
}

function curveOf(values: number[]): Buffer {
  const bytes = Buffer.alloc(4 + 2 * values.length);
  bytes.writeUInt32BE(values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(Math.round(value * 65_535), 4 + 2 * index);
  return Buffer.concat([signature('curv'), bytes]);
}

/** Encodes the profile description in ASCII only. */
function description(name: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length + 1);
  return Buffer.concat([signature('desc'), length, Buffer.from(`${name}\0`), Buffer.alloc(8 + 3 + 67)]);
}
