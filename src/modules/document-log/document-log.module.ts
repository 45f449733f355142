import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { LogBundleService } from './bundle/log-bundle.service.js';
import { LogKeysController } from './log-keys.controller.js';
import { LogEditsService } from './reading/log-edits.service.js';
import { LogExportController } from './export/log-export.controller.js';
import { LogExportService } from './export/log-export.service.js';
import { LogUpdatesService } from './writing/log-updates.service.js';
import { LogProofService } from './proofs/log-proof.service.js';
import { LogIngestService } from './writing/log-ingest.service.js';
import { LogWriterService } from './writing/log-writer.service.js';
import { LogsResolver } from './logs.resolver.js';
import { LogsService } from './reading/logs.service.js';
import { WrittenLogsService } from './reading/written-logs.service.js';
import { LeafService } from './leaves/leaf.service.js';
import { LogConsistencyService } from './proofs/log-consistency.service.js';
import { LogSealer } from './seals/log-sealer.worker.js';
import { LogVerifierService } from './verification/log-verifier.service.js';
import { SealSigner } from './seals/seal-signer.js';
import { SealMetrics } from './seals/seal-metrics.js';
import { SealsService } from './seals/seals.service.js';
import { SealsResolver } from './seals.resolver.js';

const WRITING = [LogIngestService, LogWriterService, LogUpdatesService];
const READING = [LogsService, WrittenLogsService, LogEditsService];
const EXPORT = [LogExportController, LogExportService, LogBundleService];
const SEALS = [SealMetrics, LeafService, SealSigner, SealsService, LogSealer];
const PROOFS = [LogProofService, LogConsistencyService, LogVerifierService];

/** Records who changed which attribute of which document. Acknowledged records are stored, and tampering with them shows. */
@Module({
  controllers: [LogKeysController],
  providers: [
    versionResolver('document-log'),
    LogsResolver,
    SealsResolver,
    ...WRITING,
    ...READING,
    ...EXPORT,
    ...SEALS,
    ...PROOFS,
  ],
})
export class DocumentLogModule {}
