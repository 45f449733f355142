// Machines that a described product needs, from the processor time of each operation. docs/scale.md describes the product.
const SECONDS_A_DAY = 86_400;

/** Calls of a user and day, by the operations of costs.bench.mjs. */
const CALLS = {
  'a file': 20,
  'a page of 25 files': 10,
  'a file created': 2,
  'an upload of 64 KiB': 2,
  'a download of 64 KiB': 5,
  'a record': 5,
  'a record in a batch of 1000': 15,
  'a page of 100 records': 2,
  'a push to one, confirmed': 10,
  'a document rendered': 3,
  'a PDF of a page': 0.2,
  'a mail, sent': 1,
  'a WebSocket opened': 4,
};
const RECORDS_A_DAY = CALLS['a record'] + CALLS['a record in a batch of 1000'];
/** Work outside of the peak: the log of a year is verified and exported once a month. */
const EVENLY = { 'a record verified': (RECORDS_A_DAY * 365) / 30, 'a record exported': (RECORDS_A_DAY * 365) / 30 };
/** Calls that a standby could answer. */
const READS = ['a page of 25 files', 'a page of 100 records', 'a record verified', 'a record exported'];
const PEAK = 5;
const CONNECTED = 0.3;
const USE = 0.6;
const USERS = [1_000, 100_000, 10_000_000];
const STORED_ROWS = { file: 2, record: RECORDS_A_DAY, message: 10, mail: 1 };
/** Days that rows are stored. */
const DAYS = { file: 365, record: 365, message: 7, mail: 30 };
const CONTENT_BYTES = 64 * 1024;

/** Returns the cores of each dependency that a number of users needs at the peak. */
function coresFor(users, costs) {
  const perSecond = [
    ...Object.entries(CALLS).map(([name, count]) => [name, (count * PEAK) / SECONDS_A_DAY]),
    ...Object.entries(EVENLY).map(([name, count]) => [name, count / SECONDS_A_DAY]),
    ['a WebSocket, idle for a minute', CONNECTED / 60],
  ];
  const cores = (part, names) =>
    perSecond
      .filter(([name]) => costs[name] && (!names || names.includes(name)))
      .reduce((sum, [name, rate]) => sum + (users * rate * costs[name][part]) / 1e6, 0) / USE;
  return { node: cores('node'), postgres: cores('postgres'), redis: cores('redis'), reads: cores('postgres', READS) };
}

/** Returns rows for a report: cores, requests, sockets and stored bytes for each number of users. */
export function capacityRows(costs, bytes) {
  const calls = Object.values(CALLS).reduce((sum, count) => sum + count, 0);
  const transfers = CALLS['an upload of 64 KiB'] + CALLS['a download of 64 KiB'];
  const rowBytes = Object.entries(STORED_ROWS).reduce((sum, [name, count]) => sum + count * DAYS[name] * bytes[name], 0);
  return USERS.flatMap((users) => {
    const { node, postgres, redis, reads } = coresFor(users, costs);
    const perSecond = (count) => Math.round((users * count * PEAK) / SECONDS_A_DAY).toLocaleString('en');
    return [
      { what: `${users.toLocaleString('en')} users`, ours: [node, postgres, redis].map(precise).join(' + ') },
      { what: 'calls and transfers of content a second, at the peak', ours: perSecond(calls), peer: perSecond(transfers) },
      { what: 'WebSockets', ours: (users * CONNECTED).toLocaleString('en') },
      {
        what: 'GB of rows and of content',
        ours: precise((users * rowBytes) / 1e9),
        peer: precise((users * STORED_ROWS.file * DAYS.file * CONTENT_BYTES) / 1e9),
      },
      {
        what: 'cores of PostgreSQL for lists, exports and verification',
        ours: precise(reads),
        ratio: (reads / postgres).toFixed(2),
      },
    ];
  });
}

const precise = (value) => Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 4 });
