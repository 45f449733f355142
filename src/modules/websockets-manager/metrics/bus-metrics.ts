// Room: Metrics of sockets, pushes and the bus.
import { Injectable } from '@nestjs/common';
import { type Gauge, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of the bus between nodes. */
@Injectable()
export class BusMetrics {
  readonly busUp: Gauge;

  constructor(metrics: Metrics) {
    this.busUp = metrics.gauge({
      name: 'bus_up',
      aggregator: 'min',
      help: '1 while this node receives its own messages over the bus, else 0; always 1 on a single node',
    });
    this.busUp.set(1);
  }
}
