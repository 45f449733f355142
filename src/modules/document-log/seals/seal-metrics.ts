import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of sealing. */
@Injectable()
export class SealMetrics {
  readonly sealedLeaves: Counter;
  readonly sealRefusals: Counter;
  readonly sealingBlocked: Gauge;

  constructor(metrics: Metrics) {
    this.sealedLeaves = metrics.counter({
      name: 'log_sealed_leaves_total',
      help: 'Records and edits of the document log sealed by this process',
    });
    this.sealRefusals = metrics.counter({
      name: 'log_seal_refusals_total',
      help: 'Records and edits of the document log rejected by the sealer for an invalid MAC',
    });
    this.sealingBlocked = metrics.gauge({
      name: 'log_sealing_blocked',
      aggregator: 'max',
      help: '1 while sealing is suspended because no block is signed with a known secret, else 0',
    });
  }
}
