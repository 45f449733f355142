// Preloaded into a server of bench/log-seals: the log without MACs and without sealing, to measure their cost.
import { LeafService } from '../../dist/modules/document-log/records/leaf.service.js';
import { LogSealer } from '../../dist/modules/document-log/seals/log-sealer.job.js';

const leaf = { leafHash: 'A'.repeat(43), mac: 'A'.repeat(43) };
LeafService.prototype.leafOfLog = () => leaf;
LogSealer.prototype.seal = async () => undefined;
