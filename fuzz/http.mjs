// Requests that no client library sends: damaged headers, bodies of the wrong length, unknown routes.
import { connect } from 'node:net';
import fc from 'fast-check';
import { anyText, oneOf } from './values.mjs';

const ANSWER_LIMIT_MS = 5_000;
const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'get', 'G E T', ''];
const HEADERS = [
  'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 99999999999999999999', 'Content-Length: 5, 6', 'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip', 'Content-Type: application/json', 'Content-Type: text/plain', 'Content-Type: application/json; charset=utf-16',
  'Content-Type: multipart/form-data', 'Content-Encoding: gzip', 'Expect: 100-continue', 'Expect: nothing', 'Connection: close',
  'Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c', 'Range: bytes=0-', 'Range: bytes=5-1', 'Range: bytes=-1', 'If-None-Match: *',
  'If-Range: "x"', 'If-Modified-Since: yesterday', 'Accept: text/html', 'Accept: application/graphql-response+json', 'Accept-Encoding: gzip',
  'Origin: http://evil.example', 'X-Forwarded-For: 1.2.3.4', 'X-Forwarded-Host: evil.example', 'X-Request-Id: ../x', 'Cookie: a=b',
  'Host: evil.example', 'Host: [::1', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13', 'Apollo-Require-Preflight: 1', ': empty', 'a b: c',
]; // prettier-ignore
const BODIES = [
  '',
  'hello',
  '{}',
  '{"query":"{version}"}',
  '[]',
  'null',
  '{"query":"{version}"',
  '5\r\nhello\r\n0\r\n\r\n',
  'Z\r\n',
  '\0\0',
];

/** Draws the bytes of one request to one of the paths. */
export function rawRequest(g, paths, key) {
  const path = g(oneOf, paths) + g(oneOf, ['', '?a=b', '/', '%00', '%', '//', '/../..', `?${'x'.repeat(9_000)}`]);
  const headers = g(fc.array, oneOf(HEADERS), { maxLength: 6 });
  if (g(fc.boolean)) headers.push(`x-api-key: ${key}`);
  if (g(fc.nat, { max: 9 }) > 0) headers.unshift('Host: localhost');
  if (g(fc.nat, { max: 9 }) === 0) headers.push(`X-Fuzz: ${g(() => anyText)}`);
  const version = g(oneOf, ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'X']);
  const body = g(oneOf, BODIES);
  return `${g(oneOf, METHODS)} ${path} ${version}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends bytes and returns everything received until the server closes, or for 5 s. */
export function exchange(port, bytes) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    const timer = setTimeout(() => socket.destroy(), ANSWER_LIMIT_MS);
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.end(Buffer.from(bytes));
  });
}

const JSON_TYPE = /content-type: application\/(graphql-response\+)?json/i;
/** Paths that people open from a mail, and that refuse with a page. */
const PATH_OF_PEOPLE = /^\S+ \/email\/identities\/verify\b/;
const PAGE_TYPE = /content-type: text\/html/i;

/** Checks raw responses: each must be HTTP, must not be an internal error, and must explain a refusal. */
export function faultOfAnswer(request, answer) {
  if (answer === '') return undefined;
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]);
  if (!status) return `is not of HTTP: ${answer.slice(0, 80)}`;
  if (status >= 500) return `status ${status}`;
  if (status < 400) return undefined;
  const [head = '', body = ''] = answer.split(/\r\n\r\n([^]*)/, 2);
  if (body === '') return undefined;
  const isExplained = JSON_TYPE.test(head) || (PATH_OF_PEOPLE.test(request) && PAGE_TYPE.test(head));
  return isExplained ? undefined : `status ${status} without JSON`;
}
