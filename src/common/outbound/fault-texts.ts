import { certificateFault } from '../base/certificate-faults.js';

/** Why a request had no answer. The message is for the tenant that named the address, and has nothing of the network around this node. */
export class OutboundFault extends Error {}

/** Fault of a server that did not answer in time. */
export class OutboundTimeout extends OutboundFault {}

/** Faults in words, by the codes of Node and undici. */
const TEXTS: Record<string, string> = {
  ECONNREFUSED: 'the server refused the connection',
  ECONNRESET: 'the server closed the connection without an answer',
  EPIPE: 'the server closed the connection without an answer',
  UND_ERR_SOCKET: 'the server closed the connection without an answer',
  UND_ERR_CONNECT_TIMEOUT: 'the server could not be reached in time',
  ETIMEDOUT: 'the server could not be reached in time',
  EHOSTUNREACH: 'the server could not be reached',
  ENETUNREACH: 'the server could not be reached',
  EADDRNOTAVAIL: 'the server could not be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has headers that are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer has another length than it says',
  UND_ERR_PRX_TLS: 'the proxy of this server has a certificate for another name',
  UND_ERR_INVALID_ARG: 'a header has a name or value that cannot be sent',
};

/** The server as a tenant knows it, who cannot change the settings of this node. */
const PRESENTER = {
  name: 'the server',
  setting: 'the address',
  remedy: 'the operator of the platform names the authority in WEBHOOK_CA_FILE',
};

/** Says why a request had no answer, without addresses and stacks. */
export function faultOf(error: unknown): OutboundFault {
  for (const one of causesOf(error)) {
    if (one instanceof OutboundFault) return one;
    const { message, name } = one;
    const code = typeof one.code === 'string' ? one.code : undefined; // that of a DOMException is a number
    const certificate = certificateFault(code, PRESENTER);
    if (certificate) return new OutboundFault(certificate);
    if (message.startsWith('Proxy response')) return new OutboundFault('the proxy of this server did not let the request pass');
    if (code && TEXTS[code]) return new OutboundFault(TEXTS[code]);
    if (name === 'HTTPParserError') return new OutboundFault('the server answered with something other than HTTP');
    if (code?.startsWith('ERR_SSL_') || code === 'EPROTO') return new OutboundFault('the server does not speak TLS as it should');
    if (name === 'AbortError') return new OutboundFault('the request was given up');
  }
  return new OutboundFault('the request failed');
}

/** Returns an error with those inside of it: of several attempts to connect, and the cause that undici wraps. */
function causesOf(error: unknown): (Error & { code?: unknown })[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...[...inner, error.cause].flatMap(causesOf)];
}
