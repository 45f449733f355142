// Draws the growth of calls as an SVG: one line per call, both axes logarithmic.

const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 56;
const BOTTOM = 40;
const TOP = 16;
const RIGHT = 16;
const MIN_MS = 0.1;
const MAX_MS = 1_000;
const COLOURS = { SQLite: '#2563eb', PostgreSQL: '#db2777' };

/** `series` are `{ database, what, kind, values }` with one value for each of `counts`. */
export function growthPlot(series, counts) {
  const x = (count) => LEFT + (Math.log(count / counts[0]) / Math.log(counts.at(-1) / counts[0])) * (WIDTH - LEFT - RIGHT);
  const y = (ms) => TOP + (1 - Math.log(Math.max(ms, MIN_MS) / MIN_MS) / Math.log(MAX_MS / MIN_MS)) * (HEIGHT - TOP - BOTTOM);
  const grid = [0.1, 1, 10, 100, 1_000].map(
    (ms) =>
      `<path d="M${LEFT} ${y(ms)}H${WIDTH - RIGHT}" stroke="#8884"/><text x="${LEFT - 6}" y="${y(ms) + 4}" text-anchor="end">${ms} ms</text>`,
  );
  const marks = counts.map(
    (count) => `<text x="${x(count)}" y="${HEIGHT - 14}" text-anchor="middle">${count.toLocaleString('en')}</text>`,
  );
  const lines = series
    .filter(({ kind }) => ['read', 'write', 'bounded'].includes(kind))
    .map(({ database, what, values }) => {
      const points = values.map(({ ms }, at) => `${x(counts[at]).toFixed(1)},${y(ms).toFixed(1)}`).join(' ');
      return `<polyline points="${points}" fill="none" stroke="${COLOURS[database]}" stroke-opacity="0.5"><title>${database}, ${escaped(what)}</title></polyline>`;
    });
  const legend = Object.entries(COLOURS).map(
    ([name, colour], at) => `<text x="${LEFT + 12 + at * 90}" y="${TOP + 14}" fill="${colour}">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#888">
${[...grid, ...marks, ...lines, ...legend].join('\n')}
</svg>
`;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
