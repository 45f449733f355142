// Reads screenshots, so that a check can look at their pixels.
import { inflateSync } from 'node:zlib';

/** Reads a picture of 8 bits a channel, as Chromium makes them. `pixelAt` returns a colour such as #2f9e5f. */
export function readPng(file) {
  const chunks = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const width = file.readUInt32BE(16);
  const channels = file[25] === 6 ? 4 : 3;
  const rows = unfiltered(inflateSync(Buffer.concat(chunks)), width * channels, channels);
  return {
    width,
    height: rows.length,
    pixelAt: (x, y) => `#${rows[y].toString('hex', x * channels, x * channels + 3)}`,
  };
}

/** Counts the pixels of each colour in an area, by default the whole picture; with a step, only some of them. */
export function coloursOf({ width, height, pixelAt }, { left = 0, right = width, top = 0, bottom = height, step = 1 } = {}) {
  const counts = new Map();
  for (let y = top; y < bottom; y += step) {
    for (let x = left; x < right; x += step) {
      const colour = pixelAt(x, y);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  return counts;
}

/** Undoes the filters of the rows of a picture. */
function unfiltered(data, length, channels) {
  const rows = [];
  for (let at = 0; at < data.length; at += length + 1) {
    const row = data.subarray(at + 1, at + 1 + length);
    const above = rows.at(-1);
    for (let x = 0; x < length; x++) {
      const left = row[x - channels] ?? 0;
      const up = above?.[x] ?? 0;
      const corner = above?.[x - channels] ?? 0;
      row[x] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][data[at]];
    }
    rows.push(row);
  }
  return rows;
}

function paeth(left, up, corner) {
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
