import { STATUS_CODES } from 'node:http';
import type { AppError } from '../../base/app-error.js';

/** Writes a refusal as a whole HTTP answer, for connections from which no request was read. */
export function rawAnswer({ status, code, message, headers }: AppError): string {
  const body = JSON.stringify({ code, message });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
