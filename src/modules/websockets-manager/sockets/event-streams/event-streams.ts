import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { SocketMetrics } from '../../metrics/socket-metrics.js';
import type { Acknowledgement } from '../../models/acknowledgement.js';
import { STREAM_HEARTBEAT_SECONDS } from '../../models/limits.js';
import type { Connection, Receipt } from '../connection.js';
import { ConnectionLifecycle } from '../connection-lifecycle.js';
import { Connections } from '../connections.js';
import type { AdmissionRequest, Refusal } from '../socket-listener.js';
import { EventStream } from './event-stream.js';

/** Time for which the unacknowledged messages of an ended stream are remembered, and their maximum number on a node. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 200_000;

interface StreamRequest extends AdmissionRequest {
  /** Id of the last message that the client received on an earlier connection. */
  lastEventId: string | undefined;
}

/** Messages sent on a stream and not acknowledged when it ended. */
interface EndedStream {
  connectionId: string;
  receipts: Receipt[];
  lastAcknowledged: string | undefined;
}

/** Opens event streams, and receives their acknowledgements. */
@Injectable()
export class EventStreams {
  /** Received bytes of each open stream. */
  private readonly received = new WeakMap<Connection, number>();
  /** Ended streams by their token. */
  private readonly ended = new Map<string, EndedStream[]>();
  private remembered = 0;

  constructor(
    private readonly lifecycle: ConnectionLifecycle,
    private readonly connections: Connections,
    private readonly metrics: SocketMetrics,
  ) {}

  /** Answers a request with a stream. Returns a refusal, without an answer, if it must not open. */
  async open(request: StreamRequest, response: ServerResponse, headers: OutgoingHttpHeaders): Promise<Refusal | undefined> {
    let refusal: Refusal | undefined;
    await this.lifecycle.inSlot(response.socket!, async () => {
      const answer = await this.lifecycle.admit(request);
      const stream = new EventStream(response);
      refusal = !('presence' in answer)
        ? answer
        : await this.lifecycle.join({ ...answer, acknowledges: true }, stream, (connection) => {
            if (!stream.writable) return;
            this.resume(connection, request.lastEventId);
            stream.begin(connection, headers);
            this.attend(connection, stream, response);
          });
    });
    if (refusal && 'status' in refusal) this.metrics.refusedUpgrades.inc({ status: refusal.status });
    return refusal;
  }

  /** Attaches the listener. Separate method, so that no closure retains the request for the life of the connection. */
  private attend(connection: Connection, stream: EventStream, response: ServerResponse): void {
    response.once('close', () => {
      this.remember(connection);
      this.lifecycle.closed(connection, String(connection.closed?.code ?? 1006));
    });
    this.received.set(connection, 0);
    this.lifecycle.opened(connection, stream, STREAM_HEARTBEAT_SECONDS);
  }

  /**
   * Confirms a message, and all before it on the same stream, open or just ended, or marks one in the inbox. Returns false if this node
   * does not know the stream.
   */
  acknowledge(acknowledgement: Acknowledgement): boolean {
    const { connectionId, tokenIssuedAt, id, mark, bytes } = acknowledgement;
    const connection = this.connections.find(acknowledgement);
    const received = connection && this.received.get(connection);
    if (received !== undefined && connection!.tokenIssuedAt === tokenIssuedAt) {
      this.received.set(connection!, received + bytes);
      this.lifecycle.meter(connection!, received + bytes);
      if (id !== undefined) this.lifecycle.confirmed(connection!, connection!.acknowledge(id));
      if (mark && connection!.readsInbox) this.lifecycle.listener.marked(connection!, mark);
      return true;
    }
    if (id === undefined) return false;
    const ended = this.ended.get(keyOf(acknowledgement))?.find((one) => one.connectionId === connectionId);
    if (ended) this.settle(acknowledgement.recipient, takeUpTo(ended, id));
    return ended !== undefined;
  }

  /**
   * Confirms what a reconnecting client has received: its last message, and all before it on the stream that sent it. If several streams
   * of the token sent it, any of them may be the client's, so it confirms that message alone.
   */
  private resume({ presence, tokenIssuedAt }: Connection, id: string | undefined): void {
    if (id === undefined) return;
    const { tenantId, recipient } = presence;
    const open = this.connections
      .ofRecipient(tenantId, recipient, null)
      .filter((one) => one.tokenIssuedAt === tokenIssuedAt && this.received.has(one) && wrote(one.unconfirmed, one, id));
    const ended = (this.ended.get(keyOf({ tenantId, recipient, tokenIssuedAt })) ?? []).filter((one) =>
      wrote(one.receipts, one, id),
    );
    const isCertain = open.length + ended.length === 1;
    for (const one of open) {
      const receipts = isCertain ? one.acknowledge(id) : one.unconfirmed.filter((receipt) => receipt.id === id);
      this.settle(recipient, receipts);
    }
    for (const one of ended)
      this.settle(recipient, isCertain ? takeUpTo(one, id) : one.receipts.filter((receipt) => receipt.id === id));
  }

  private settle(recipient: string, receipts: Receipt[]): void {
    if (receipts.length > 0) this.lifecycle.listener.confirmed(recipient, receipts);
  }

  private remember(connection: Connection): void {
    const { presence, lastAcknowledged } = connection;
    const receipts = [...connection.unconfirmed];
    if (this.remembered + receipts.length >= MAX_REMEMBERED) return;
    const key = keyOf({ ...presence, tokenIssuedAt: connection.tokenIssuedAt });
    const ended: EndedStream = { connectionId: presence.connectionId, receipts, lastAcknowledged };
    const { length } = receipts;
    this.remembered += length + 1;
    this.ended.set(key, [...(this.ended.get(key) ?? []), ended]);
    const forget = (): void => {
      this.remembered -= length + 1;
      const others = this.ended.get(key)!.filter((one) => one !== ended);
      if (others.length > 0) this.ended.set(key, others);
      else this.ended.delete(key);
    };
    setTimeout(forget, REMEMBERED_MS).unref();
  }
}

/** Identifies the token of a stream. */
function keyOf({
  tenantId,
  recipient,
  tokenIssuedAt,
}: Pick<Acknowledgement, 'tenantId' | 'recipient' | 'tokenIssuedAt'>): string {
  return JSON.stringify([tenantId, recipient, tokenIssuedAt]);
}

/** Returns true if a message was the last acknowledged one of a stream, or was sent on it since. */
function wrote(receipts: readonly Receipt[], { lastAcknowledged }: Pick<EndedStream, 'lastAcknowledged'>, id: string): boolean {
  return lastAcknowledged === id || receipts.some((receipt) => receipt.id === id);
}

function takeUpTo(ended: EndedStream, id: string): Receipt[] {
  const count = ended.receipts.findIndex((receipt) => receipt.id === id) + 1;
  if (count > 0) ended.lastAcknowledged = id;
  return ended.receipts.splice(0, count);
}
