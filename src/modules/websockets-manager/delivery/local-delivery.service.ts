import { Injectable } from '@nestjs/common';
import type { GlobalPush, Push } from '../models/push.js';
import { MessageRecordsService } from '../records/message-records.service.js';
import type { Connection, Receipt } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';
import { framesOf, globalFrame } from '../sockets/frame.js';

/** Sends messages to the connections of this node. */
@Injectable()
export class LocalDeliveryService {
  constructor(
    private readonly connections: Connections,
    private readonly records: MessageRecordsService,
  ) {}

  /** Returns the messages whose recipients have no matching connection to this node. */
  deliver(push: Push): Push['messages'] {
    const { tenantId, topic, messages } = push;
    let frameOf: ReturnType<typeof framesOf> | undefined;
    return messages.filter((message) => {
      const connections = this.connections.ofRecipient(tenantId, message.recipient, topic);
      if (connections.length === 0) return true;
      frameOf ??= framesOf(push);
      this.send(connections, frameOf(message), receiptOf(push, message.id, false));
      return false;
    });
  }

  deliverGlobal(push: GlobalPush): void {
    const connections = this.connections.ofTenant(push.tenantId, push.topic);
    this.send(connections, globalFrame(push), receiptOf(push, push.id, true));
  }

  /** Only queues frames, which is cheap; the flusher writes them in slices, so that others have their turn. */
  private send(connections: Iterable<Connection>, frame: Buffer, receipt: Receipt): void {
    if (receipt.expiresAt !== null && receipt.expiresAt <= Date.now()) return;
    receipt.bytes = frame.length;
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
