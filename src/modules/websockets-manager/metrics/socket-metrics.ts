import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, Metrics } from '../../../common/metrics/metrics.js';

/** Statuses with a series from the start: `rate` does not see the first value of a new one. */
const REFUSED = [403, 503];

/** Metrics of WebSockets and event streams. */
@Injectable()
export class SocketMetrics {
  readonly webSockets: Gauge;
  readonly openedWebSockets: Counter;
  readonly closedWebSockets: Counter<'code'>;
  readonly refusedUpgrades: Counter<'status'>;

  constructor(metrics: Metrics) {
    this.webSockets = metrics.gauge({
      name: 'websocket_connections',
      help: 'Open connections of recipients to this process: WebSockets and event streams',
    });
    this.openedWebSockets = metrics.counter({
      name: 'websocket_opened_total',
      help: 'Connections of recipients opened by this process',
    });
    this.closedWebSockets = metrics.counter({
      name: 'websocket_closed_total',
      help: 'Connections of recipients that ended, by close code',
      labelNames: ['code'],
    });
    this.refusedUpgrades = metrics.counter({
      name: 'websocket_refused_total',
      help: 'Refused WebSocket upgrades and event streams, by HTTP status',
      labelNames: ['status'],
    });
    for (const status of REFUSED) this.refusedUpgrades.inc({ status }, 0);
  }
}
