// Rendering inside the service compared with other engines, then over HTTP, then beside hostile templates. Left out: stylesheets; loops
// and conditions in the comparison of engines; changing templates; and PostgreSQL.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GraphqlApi } from './support/graphql-api.mjs';
import { median, report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';
import { compileTemplate } from '../dist/modules/document-rendering/template-language/template.js';

const require = createRequire(import.meta.url);
const nunjucks = require('nunjucks');
const handlebars = require('handlebars');
const { Liquid } = require('liquidjs');

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const PARAMETERS = 160;
const SLICES_A_ROUND = 8;
const WARM_SLICES = 6;
const SLICE_MS = 60;
const TARGET_ENGINE = 0.8;
const TARGET_COMPOSED = 0.9;
/** Target: a locale costs under 5 % of a rendering. */
const TARGET_LOCALE = 0.95;
const TARGET_HTTP = 0.6;
const TARGET_SLOWER = 10;
const TARGET_STALL_MS = 100;
const STALL_FILE = join(folder, 'longest-stall');

const names = Array.from({ length: PARAMETERS }, (_, index) => `p${index}`);
const lines = names.map((name) => `<p>Line {{ ${name} }} text</p>`);
const body = lines.join('');
const params = JSON.stringify(Object.fromEntries(names.map((name, index) => [name, `value <${index}> & more`])));
const SOURCE = { type: 'document', contentType: 'html', locale: null, subject: null, body, css: [], layouts: [], partials: [] };
const plain = compileTemplate(SOURCE);

report(`rendering: a template of ${body.length} characters with ${PARAMETERS} parameters, renders per second`, [
  ...engines(),
  composed(),
  ...localized(),
]);
const server = await start('dist/bundle/main.js', {
  NODE_OPTIONS: `--import=${new URL('./support/stall-monitor.mjs', import.meta.url)}`,
  BENCH_STALL_FILE: STALL_FILE,
});
const key = createKey();
const rendering = new GraphqlApi(server.address, 'document-rendering', key);
const files = new GraphqlApi(server.address, 'file-management', key);
const greeting = await saved('greeting', '<p>Dear {{ name }}, your order {{ order.id }} is on its way.</p>');
const long = await saved('long', body);
const version = { query: '{version}' };
report('rendering: over HTTP, requests per second at 50 connections, against version', [
  await overHttp('a line with 2 parameters', greeting('{"name":"Ann","order":{"id":"17"}}')),
  // Without a target: its request and answer are fifty times as long as those of version.
  { ...(await overHttp(`${body.length} characters with ${PARAMETERS} parameters`, long(params))), target: '', met: undefined },
]);
report('rendering: version of another service while ten hostile renders wait', await besideHostile());
await server.stop();

/** Same text in one piece, and composed of a layout and three partials. */
function composed() {
  const part = Math.ceil(lines.length / 5);
  const pieces = [0, 1, 2, 3, 4].map((index) => lines.slice(index * part, (index + 1) * part).join(''));
  const [before, one, two, three, after] = pieces;
  const partials = [one, two, three].map((text, index) => ({ name: `part ${index}`, body: text }));
  const includes = partials.map(({ name }) => `{% include "${name}" %}`).join('');
  const frame = `${before}{% block content %}{% endblock %}${after}`;
  const made = compileTemplate({ ...SOURCE, body: includes, layouts: [{ name: 'frame', body: frame }], partials });
  assert.equal(textOf(made.render(JSON.parse(params))), textOf(plain.render(JSON.parse(params))));
  return inSlices('a layout and three partials, against the same text in one piece', made, plain, TARGET_COMPOSED);
}

/** Same template with and without a language and a time zone. A fifth of its parameters pass through filters. */
function localized() {
  const filters = ['number', 'number("#,##0.00")', 'currency("EUR")', 'percent(1)', 'date("long")', 'date("d MMMM yyyy")', 'time("short")', 'plural("one {# item} other {# items}")']; // prettier-ignore
  const formatted = names.map((name, index) => (index % 5 === 0 ? `${name} | ${filters[(index / 5) % filters.length]}` : name));
  const values = names.map((name, index) => [name, index % 5 === 0 ? 1_770_000_000_000 + index * 86_400_000 : `value <${index}> & more`]); // prettier-ignore
  const text = formatted.map((name) => `<p>Line {{ ${name} }} text</p>`).join('');
  const given = JSON.stringify(Object.fromEntries(values));
  const reader = { locale: 'de-CH', language: 'de', timeZone: 'Europe/Zurich' };
  const template = compileTemplate({ ...SOURCE, body: text });
  assert.notEqual(template.render(JSON.parse(given), { reader }).body, template.render(JSON.parse(given)).body);
  const of = (compiled, text, options) => ({ text, render: (all) => compiled.render(all, options) });
  const pairOf = (compiled, text) => [of(compiled, text, { reader }), of(compiled, text)];
  return [
    inSlices('the same text with a locale, against without', ...pairOf(plain, params), TARGET_LOCALE),
    inSlices('a fifth of the parameters formatted, with a locale against without', ...pairOf(template, given), TARGET_LOCALE),
  ];
}

/** Compares two templates in alternating slices, so that other load on the machine affects both. */
function inSlices(what, ours, peer, target) {
  const ratios = [];
  const rates = { ours: [], peer: [] };
  for (let slice = -WARM_SLICES; slice < ROUNDS * SLICES_A_ROUND; slice++) {
    const [first, second] = slice % 2 === 0 ? [ours, peer] : [peer, ours];
    const found = new Map([[first, rateOf(first, SLICE_MS)], [second, rateOf(second, SLICE_MS)]]); // prettier-ignore
    if (slice < 0) continue;
    rates.ours.push(found.get(ours));
    rates.peer.push(found.get(peer));
    ratios.push(found.get(ours) / found.get(peer));
  }
  const ratio = median(ratios);
  const figures = { ours: median(rates.ours).toFixed(0), peer: median(rates.peer).toFixed(0), ratio: ratio.toFixed(2) };
  return { what, ...figures, target: `>= ${target}`, met: ratio >= target };
}

/** Passes the params to each engine as text, as the service receives them. */
function engines() {
  const liquid = new Liquid({ outputEscape: 'escape' });
  const compiled = {
    ours: plain,
    Nunjucks: nunjucks.compile(body, new nunjucks.Environment(null, { autoescape: true })),
    LiquidJS: {
      render: (
        (template) => (given) =>
          liquid.renderSync(template, given)
      )(liquid.parse(body)),
    },
    Handlebars: { render: handlebars.compile(body) },
  };
  const outputs = Object.values(compiled).map((template) => textOf(template.render(JSON.parse(params))));
  for (const output of outputs) assert.equal(output.replaceAll('&#x27;', '&#39;'), outputs[0]);
  const rates = Object.fromEntries(Object.keys(compiled).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, template] of Object.entries(compiled)) rates[name].push(rateOf(template));
  }
  for (const list of Object.values(rates)) list.shift(); // the first round warms up
  return ['Nunjucks', 'LiquidJS', 'Handlebars'].map((name) => {
    const ratio = median(rates.ours.map((rate, round) => rate / rates[name][round]));
    const figures = { ours: median(rates.ours).toFixed(0), peer: median(rates[name]).toFixed(0), ratio: ratio.toFixed(2) };
    return { what: name, ...figures, target: `>= ${TARGET_ENGINE}`, met: ratio >= TARGET_ENGINE };
  });
}

function textOf(rendered) {
  return typeof rendered === 'string' ? rendered : rendered.body;
}

function rateOf(template, sliceMs = 500) {
  const { text = params } = template;
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < sliceMs; count++) template.render(JSON.parse(text));
  return (count * 1000) / (performance.now() - startedAt);
}

/** Saves a template; returns the request that renders it. */
async function saved(name, text) {
  await rendering.ask(
    'mutation($name:String!,$body:String!){createTemplate(input:{name:$name,type:document,contentType:html,body:$body}){id}}',
    { name, body: text },
  );
  const query = `query($params:String!){render(input:{templateName:"${name}",params:$params}){body}}`;
  return (given) => ({ query, variables: { params: given } });
}

async function overHttp(what, render) {
  const load = { connections: 50, seconds: SECONDS };
  for (const operation of [version, render]) await rendering.load(operation, load);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { requests } = await rendering.load(version, load);
    rounds.push({ version: requests.average, render: (await rendering.load(render, load)).requests.average });
  }
  const ratio = median(rounds.map((round) => round.render / round.version));
  const of = (name) => median(rounds.map((round) => round[name])).toFixed(0);
  const figures = { ours: of('render'), peer: of('version'), ratio: ratio.toFixed(2) };
  return { what, ...figures, target: `>= ${TARGET_HTTP}`, met: ratio >= TARGET_HTTP };
}

async function besideHostile() {
  const load = { connections: 4, seconds: SECONDS };
  const idle = await files.load(version, load);
  const list = Array.from({ length: 2_000 }, (_, index) => index);
  const hostile = {
    template: {
      type: 'document',
      contentType: 'plain',
      body: '{% for a in x %}{% for b in x %}{% for c in x %}{% endfor %}{% endfor %}{% endfor %}',
    },
    params: JSON.stringify({ x: list }),
  };
  const waiting = Array.from({ length: 10 }, () =>
    rendering.ask('query($input:PreviewInput!){preview(input:$input){body}}', { input: hostile }).catch((error) => error.message),
  );
  await delay(200);
  await stallMs(); // since here
  const busy = await files.load(version, load);
  const stall = await stallMs();
  for (const answer of await Promise.all(waiting)) assert.match(answer, /2 s|10 s/);
  const slower = busy.latency.p99 / Math.max(1, idle.latency.p99);
  return [
    {
      what: '99th percentile, ms, idle as peer',
      ours: String(busy.latency.p99),
      peer: String(idle.latency.p99),
      ratio: slower.toFixed(1),
      target: `<= ${TARGET_SLOWER}`,
      met: slower <= TARGET_SLOWER,
    },
    {
      what: 'longest stall of the event loop, ms',
      ours: stall.toFixed(0),
      target: `< ${TARGET_STALL_MS}`,
      met: stall < TARGET_STALL_MS,
    },
  ];
}

/** Returns the longest stall since the last call. */
async function stallMs() {
  rmSync(STALL_FILE, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  while (!existsSync(STALL_FILE) || readFileSync(STALL_FILE).length === 0) await delay(10);
  return Number(readFileSync(STALL_FILE, 'utf8'));
}
