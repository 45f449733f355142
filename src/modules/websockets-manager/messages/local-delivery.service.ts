import { Injectable } from '@nestjs/common';
import { resume, SpanKind } from '../../../common/tracing/spans.js';
import { carried } from '../../../common/tracing/trace-context.js';
import type { GlobalPush, Push } from '../models/push.js';
import { MessageRecordsService } from './message-records.service.js';
import { RecentIds } from './recent-ids.js';
import type { Connection, DeliveryTrace, Receipt } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';
import { framesOf, globalFrame } from '../sockets/frame.js';

/** Confirmations of a push recorded in a trace per node. */
const MAX_TRACED = 100;
/** Global messages remembered per node, to recognize repeats such as after an outage of the bus. */
const MAX_GLOBALS = 10_000;

/** Sends messages to the connections of this node. */
@Injectable()
export class LocalDeliveryService {
  private readonly globals = new RecentIds({ keepMs: Infinity, max: MAX_GLOBALS });

  constructor(
    private readonly connections: Connections,
    private readonly records: MessageRecordsService,
  ) {}

  /** Sends messages to connections of this node. Returns those without a matching connection. */
  deliver(push: Push): Push['messages'] {
    const { tenantId, topic, messages } = push;
    let frameOf: ReturnType<typeof framesOf> | undefined;
    const trace = this.traceOf(push, messages.length);
    return messages.filter((message) => {
      const connections = this.connections.ofRecipient(tenantId, message.recipient, topic);
      if (connections.length === 0) return true;
      if (push.isRepeated && this.records.wasConfirmed(message.id)) return false;
      const unsent = push.isRepeated ? connections.filter((each) => !each.isOnItsWay(message.id)) : connections;
      frameOf ??= framesOf(push);
      if (unsent.length > 0) this.send(unsent, frameOf(message), receiptOf(push, message.id, false), trace);
      return false;
    });
  }

  deliverGlobal(push: GlobalPush): void {
    if (push.isRepeated && this.globals.has(push.id)) return;
    this.globals.add(push.id);
    const connections = this.connections.ofTenant(push.tenantId, push.topic);
    this.send(connections, globalFrame(push), receiptOf(push, push.id, true), this.traceOf(push, 1));
  }

  /** Records the receipt of the push in its trace, as a child of the accepting span, its only cause. */
  private traceOf({ tenantId, traceContext }: Push | GlobalPush, count: number): DeliveryTrace | undefined {
    if (traceContext === undefined) return undefined;
    const attributes = { 'platform.tenant.id': tenantId, 'messaging.batch.message_count': count };
    const span = resume(traceContext, 'deliver push', { kind: SpanKind.CONSUMER, attributes });
    span?.end();
    return span && { context: carried(span.spanContext()), beganAt: Date.now(), left: MAX_TRACED };
  }

  /** Queues frames. The flusher writes them in slices to let other work run in between. */
  private send(connections: Iterable<Connection>, frame: Buffer, receipt: Receipt, trace: DeliveryTrace | undefined): void {
    if (receipt.expiresAt !== null && receipt.expiresAt <= Date.now()) return;
    receipt.bytes = frame.length;
    if (trace) receipt.trace = trace;
    const recordSent = this.records.sentRecorder(receipt);
    for (const connection of connections) {
      connection.send(frame, receipt);
      if (connection.held === undefined) recordSent?.(connection.presence.recipient);
    }
  }
}

export function receiptOf({ tenantId, topic, expiresAt }: Push | GlobalPush, id: string, global: boolean): Receipt {
  return { id, tenantId, global, topic, expiresAt, bytes: 0 };
}
