import type { Config } from '../common/config/config.js';
import { OutboundHttp } from '../common/outbound/outbound-http.js';

/** Time limit of a request to the issuer, and of its wait for a slot. */
const ISSUER_TIMEOUT_MS = 4_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Owner of the slots that requests to the issuer share. */
const OWNER = 'issuer';
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** Requests to the issuer. The operator names it, so it may be in an internal network; all other bounds of outbound requests hold. */
export class IssuerHttp extends OutboundHttp {
  constructor({ outbound }: Pick<Config, 'outbound'>) {
    super({ outbound: { ...outbound, allowedNetworks: EVERYWHERE, allowHttp: true } });
  }

  /** Same as `fetch`, for texts. @throws OutboundFault without a response */
  readonly fetch = async (url: string, { method, headers, body }: Sent): Promise<Response> => {
    const {
      status,
      answer,
      headers: answered,
    } = await this.send({
      tenantId: OWNER,
      url,
      method: method as 'GET' | 'POST',
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      timeoutMs: ISSUER_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal: AbortSignal.timeout(2 * ISSUER_TIMEOUT_MS),
    });
    const given = Object.entries(answered).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(answer || null, { status, headers: given });
  };
}
