import { Module } from '@nestjs/common';
import { LogBundleService } from './bundle/log-bundle.service.js';
import { DocumentLogResolver } from './document-log.resolver.js';
import { LogKeysController } from './log-keys.controller.js';
import { LogEditsService } from './log-edits.service.js';
import { LogExportController } from './log-export.controller.js';
import { LogExportService } from './log-export.service.js';
import { LogIngestService } from './log-ingest.service.js';
import { LogWriterService } from './log-writer.service.js';
import { LogsResolver } from './logs.resolver.js';
import { LogsService } from './logs.service.js';
import { WrittenLogsService } from './written-logs.service.js';
import { Blocks } from './seals/blocks.queries.js';
import { Leaves } from './seals/leaves.js';
import { LogConsistencyService } from './seals/log-consistency.service.js';
import { LogSealer } from './seals/log-sealer.worker.js';
import { LogVerifierService } from './seals/log-verifier.service.js';
import { SealSigner } from './seals/seal-signer.js';
import { SealsService } from './seals/seals.service.js';
import { SealsResolver } from './seals.resolver.js';

const INGEST = [LogIngestService, LogWriterService, LogEditsService];
const READING = [LogsService, WrittenLogsService, LogExportService, LogExportController, LogBundleService];
const SEALS = [Leaves, Blocks, SealSigner, SealsService, LogSealer, LogVerifierService, LogConsistencyService];

/** Keeps who changed which attribute of which document. What was answered is stored, and a later change of it is noticed. */
@Module({
  controllers: [LogKeysController],
  providers: [DocumentLogResolver, LogsResolver, SealsResolver, ...INGEST, ...READING, ...SEALS],
})
export class DocumentLogModule {}
