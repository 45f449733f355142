// Requests per second of tools by MCP, against the same operations at their GraphQL endpoints, with the same fields: `file(ID)`, a page of
// 20 files, and createFile; in the version of the protocol with a handshake, and in the one without. Both sides alternate within one run;
// a ratio is the median of the ratios of each round. Left out: the handshake and the list of tools, which a client asks for once; messages
// that the SDK answers itself.
import assert from 'node:assert/strict';
import autocannon from 'autocannon';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { median, report } from './support/report.mjs';
import { createKey, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 50;
const TARGET = 0.9;
const FIELDS = ['id', 'name', 'comment', 'contentType', 'contentLength', 'status', 'createdAt', 'updatedAt', 'externalReference'];
const FILE = { fields: [...FIELDS, 'author', 'downloadUrl', 'uploadUrl'] };
const SELECTED = `${FIELDS.join(' ')} author { email id name profile } downloadUrl uploadUrl`;
const VERSIONS = { 'with a handshake': '2025-11-25', without: '2026-07-28' };

const server = await start('dist/bundle/main.js');
const key = createKey();
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': key };

/** Requests of an operation: at its GraphQL endpoint, and by MCP. */
const graphql = (query, variables) => ({
  url: `${server.address}/file-management/graphql`,
  headers,
  body: JSON.stringify({ query, variables }),
});
const mcp = (version, name, given) => ({
  url: `${server.address}/mcp`,
  headers: {
    ...headers,
    'mcp-protocol-version': version,
    ...(version === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': name }),
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given, ...(version === '2026-07-28' && { _meta: ENVELOPE }) },
  }),
});
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const input = { name: 'invoice-2024-0815.pdf', comment: 'Sent to the customer', author: { id: 'u-17', name: 'Ada Lovelace' } };
const CREATE = `mutation($input:CreateFileInput){createFile(input:$input){${SELECTED}}}`;
const { createFile } = (await send(graphql(CREATE, { input }))).data;
for (let made = 1; made < 20; made++) await send(graphql(CREATE, { input }));
const operations = [
  ['file(ID)', `query($ID:ID!){file(ID:$ID){${SELECTED}}}`, 'files_file', { ID: createFile.id }],
  ['a page of 20', `query($limit:Int){files(limit:$limit){nextToken items{${SELECTED}}}}`, 'files_files', { limit: 20 }],
  ['createFile', CREATE, 'files_create_file', { input }],
];
const rows = [];
for (const [what, query, name, given] of operations) {
  for (const [how, version] of Object.entries(VERSIONS)) {
    const sides = [mcp(version, name, { ...given, ...FILE }), graphql(query, given)];
    await checkThatBothAnswerAlike(sides, what);
    for (const side of sides) await load(side);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push([await load(sides[0]), await load(sides[1])]);
    rows.push(row(`${what}, ${how}`, rounds));
  }
}
report(`mcp: requests per second at ${CONNECTIONS} connections, GraphQL as peer`, rows);
await server.stop();

async function send({ url, headers: sent, body }) {
  return (await fetch(url, { method: 'POST', headers: sent, body })).json();
}

/** Compares the answers, without signatures and what differs between two new files. */
async function checkThatBothAnswerAlike([byMcp, byGraphql], what) {
  const { result } = await send(byMcp);
  const { data } = await send(byGraphql);
  const plain = (value) => JSON.parse(JSON.stringify(value), (name, each) => (/Url$|^id$|At$/.test(name) ? typeof each : each));
  assert.deepEqual(plain(JSON.parse(result.content[0].text)), plain(Object.values(data)[0]), what);
}

async function load({ url, headers: sent, body }) {
  const before = canMeasure ? cpuSeconds(server.pid) : 0;
  const result = await autocannon({ url, method: 'POST', headers: sent, body, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors: ${body}`);
  const micros = (((canMeasure ? cpuSeconds(server.pid) : 0) - before) * 1e6) / result.requests.total;
  return { perSecond: result.requests.total / result.duration, micros };
}

function row(what, rounds) {
  const figure = (side) => {
    const perSecond = Math.round(median(rounds.map((round) => round[side].perSecond))).toLocaleString('en');
    return canMeasure ? `${perSecond} (${Math.round(median(rounds.map((round) => round[side].micros)))} µs)` : perSecond;
  };
  const ratio = median(rounds.map(([ours, peer]) => ours.perSecond / peer.perSecond));
  return { what, ours: figure(0), peer: figure(1), ratio: ratio.toFixed(2), target: `>= ${TARGET}`, met: ratio >= TARGET };
}
