import { createHmac } from 'node:crypto';
import { DELIVERY_TIMEOUT_MS } from '../../common/events/delivery/limits.js';
import { deliveryHeaders, keyOf, SECRET_BYTES, secretOf } from '../../common/events/delivery/signature.js';
import { faultOf } from './served-api.js';

/** Derives a secret from a key, without revealing it. It is the same at each start, so applications can store it in their settings. */
export function secretFor(key: string): string {
  const derived = createHmac('sha256', key).update('platform-services webhooks listen').digest();
  return secretOf(derived.subarray(0, SECRET_BYTES));
}

/** Outcome of an attempt. Without a response, `status` is undefined and `fault` says why. */
export interface Forwarded {
  status?: number;
  fault?: string;
  durationMs: number;
}

/** Sends events to a URL as the server does, signed with one secret. */
export class Forwarder {
  private readonly key: Buffer;

  constructor(
    readonly address: string,
    secret: string,
    private readonly version: string,
  ) {
    this.key = keyOf(secret);
  }

  /** Makes one attempt. @throws the reason of the signal */
  async send({ id, body }: { id: string; body: string }, signal: AbortSignal): Promise<Forwarded> {
    const begun = performance.now();
    const timeout = AbortSignal.timeout(DELIVERY_TIMEOUT_MS);
    const since = () => Math.round(performance.now() - begun);
    try {
      const response = await fetch(this.address, {
        method: 'POST',
        headers: deliveryHeaders(this.version, [this.key], id, body),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      await response.body?.cancel();
      return { status: response.status, durationMs: since() };
    } catch (error) {
      signal.throwIfAborted();
      const fault = timeout.aborted ? `no answer within ${DELIVERY_TIMEOUT_MS / 1_000} s` : faultOf(error);
      return { fault, durationMs: since() };
    }
  }
}
