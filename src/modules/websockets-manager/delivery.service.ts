import { Injectable } from '@nestjs/common';
import { MessageRecordsService } from './message-records.service.js';
import type { GlobalPush, Push } from './push.js';
import type { Connection, Receipt } from './sockets/connection.js';
import { Connections } from './sockets/connections.js';
import { framesOf, globalFrame } from './sockets/frame.js';

/** Brings messages to the connections of this node. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly connections: Connections,
    private readonly records: MessageRecordsService,
  ) {}

  /** Answers with the messages that no connection of this node was there for. */
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

  /** To all. Queueing is cheap; what is written to the sockets leaves others their turn. */
  deliverGlobal(push: GlobalPush): void {
    const connections = this.connections.ofTenant(push.tenantId, push.topic);
    this.send(connections, globalFrame(push), receiptOf(push, push.id, true));
  }

  private send(connections: Iterable<Connection>, frame: Buffer, receipt: Receipt): void {
    if (receipt.expiresAt !== null && receipt.expiresAt <= Date.now()) return;
    receipt.bytes = frame.length;
    const note = this.records.noteOfSent(receipt);
    for (const connection of connections) {
      connection.send(frame, receipt);
      if (connection.held === undefined) note?.(connection.presence.recipient);
    }
  }
}

export function receiptOf({ tenantId, topic, expiresAt }: Push | GlobalPush, id: string, global: boolean): Receipt {
  return { id, tenantId, global, topic, expiresAt, bytes: 0 };
}
