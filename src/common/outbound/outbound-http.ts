import { Injectable } from '@nestjs/common';

/** What happened to a request, in words that a tenant may read. */
export class OutboundFault extends Error {}

interface OutboundRequest {
  url: string;
  method?: 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string | Buffer;
  timeoutMs: number;
  maxAnswerBytes: number;
  signal?: AbortSignal | undefined;
}

interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  answer: string;
  durationMs: number;
}

/** Sends requests to addresses that tenants name. Until the guard of addresses is there, none is called. */
@Injectable()
export class OutboundHttp {
  problemOf(_url: string): string | undefined {
    return 'must be poll: for now';
  }

  async send(_request: OutboundRequest): Promise<OutboundAnswer> {
    return Promise.reject(new OutboundFault('no address is called for now'));
  }
}
