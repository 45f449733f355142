import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** Place of the charts in a window of 1280 × 800. */
const CHARTS = { left: 460, right: 1_240, top: 260, bottom: 700 };
const FEWEST_PIXELS = 500;

describe('the images of the overview', () => {
  const wide = readdirSync(FOLDER).filter((name) => /^studio-overview-(light|dark)\.png$/.test(name));

  it.each(wide)('contain drawn charts: %s', (name) => {
    const { width, pixelAt } = readPng(readFileSync(FOLDER + name));
    expect(width).toBe(1_280);
    const background = pixelAt(CHARTS.left, CHARTS.top);
    let drawn = 0;
    for (let y = CHARTS.top; y < CHARTS.bottom; y++) {
      for (let x = CHARTS.left; x < CHARTS.right; x++) if (pixelAt(x, y) !== background) drawn += 1;
    }
    expect(drawn).toBeGreaterThan(FEWEST_PIXELS);
  });
});

/** Reads a picture of 8 bits a channel, as Chromium makes them. */
function readPng(file: Buffer): { width: number; pixelAt: (x: number, y: number) => string } {
  const chunks: Buffer[] = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const width = file.readUInt32BE(16);
  const channels = file[25] === 6 ? 4 : 3;
  const rows = unfiltered(inflateSync(Buffer.concat(chunks)), width * channels, channels);
  return { width, pixelAt: (x, y) => rows[y]!.toString('hex', x * channels, x * channels + 3) };
}

/** Undoes the filters of the rows of a picture. */
function unfiltered(data: Buffer, length: number, channels: number): Buffer[] {
  const rows: Buffer[] = [];
  for (let at = 0; at < data.length; at += length + 1) {
    const row = data.subarray(at + 1, at + 1 + length);
    const above = rows.at(-1);
    for (let x = 0; x < length; x++) {
      const left = row[x - channels] ?? 0;
      const up = above?.[x] ?? 0;
      const corner = above?.[x - channels] ?? 0;
      row[x] = row[x]! + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][data[at]!]!;
    }
    rows.push(row);
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs) as [number, number, number];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
