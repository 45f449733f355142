import { certificateFault } from '../base/certificate-faults.js';

/** Reason why a request got no response. The message is for the tenant that set the URL, and reveals nothing about the internal network. */
export class OutboundFault extends Error {}

/** Fault of a server that did not respond in time. */
export class OutboundTimeout extends OutboundFault {}

/** Messages of faults, by the codes of Node and undici. */
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
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is not as long as its Content-Length',
  UND_ERR_PRX_TLS: 'the proxy of this server has a certificate for another name',
  UND_ERR_INVALID_ARG: 'a header has a name or value that cannot be sent',
};

/** Server in the words of a tenant, who cannot change the settings of this node. */
const PRESENTER = {
  name: 'the server',
  setting: 'the URL',
  remedy: 'the operator of the platform must add the authority to WEBHOOK_CA_FILE',
};

/** Explains why a request got no response, without addresses and stacks. */
export function faultOf(error: unknown): OutboundFault {
  for (const one of causesOf(error)) {
    if (one instanceof OutboundFault) return one;
    const { message, name } = one;
    const code = typeof one.code === 'string' ? one.code : undefined; // the code of a DOMException is a number
    const certificate = certificateFault(code, PRESENTER);
    if (certificate) return new OutboundFault(certificate);
    if (message.startsWith('Proxy response')) return new OutboundFault('the proxy of this server did not let the request pass');
    if (code && TEXTS[code]) return new OutboundFault(TEXTS[code]);
    if (name === 'HTTPParserError') return new OutboundFault('the server answered with something other than HTTP');
    if (code?.startsWith('ERR_SSL_') || code === 'EPROTO') return new OutboundFault('the TLS handshake with the server failed');
    if (name === 'AbortError') return new OutboundFault('the request was aborted');
  }
  return new OutboundFault('the request failed');
}

/** Returns an error with its nested ones: of several attempts to connect, and the cause that undici wraps. */
function causesOf(error: unknown): (Error & { code?: unknown })[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...[...inner, error.cause].flatMap(causesOf)];
}
