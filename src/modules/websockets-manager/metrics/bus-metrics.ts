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
      help: '1 while messages through the bus come back, else 0; 1 in a node that has no other to reach',
    });
    this.busUp.set(1);
  }
}
