// Parts that every check in a real browser has: the browser itself, which CHROMIUM names, one line for each thing that is checked,
// and an exit code of 1 when one of them failed.
import puppeteer from 'puppeteer-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
export const WAIT_MS = Number(process.env.WAIT_MS ?? 60_000);
let failures = 0;

export const launch = () => puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS });

export function check(what, isRight, reason = '') {
  if (!isRight) failures += 1;
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${what}${isRight || !reason ? '' : `: ${reason.replace(/\s+/g, ' ')}`}`);
}

/** Says how the checks went, and ends. */
export function finish() {
  console.log(failures === 0 ? 'all checks passed' : `${failures} checks failed`);
  process.exit(failures === 0 ? 0 : 1);
}

/** The address of a running server and a key, as the command line gives them, and a key of the operator where a check needs one. */
export function addressAndKey() {
  const [, script, address, key, adminKey] = process.argv;
  if (address && key) return { address, key, adminKey };
  console.error(`usage: node ${script} ADDRESS KEY [ADMIN_KEY]`);
  return process.exit(1);
}

/** Sends operations to a service; an answer with errors is an exception. */
export function asker(service, { address, key }) {
  return async (query, variables = {}) => {
    const response = await fetch(`${address}/${service}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
}

/** Waits for a condition that only asking can tell. */
export async function until(what, condition) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited ${WAIT_MS} ms for ${what}`);
}
