import { accessOperations } from '../../common/access/access-operations.js';
import { webhookOperations } from '../../common/events/webhooks/webhook-operations.js';
import { LOG_EVENTS } from './records/log-events.js';
import { DocumentLogSchema } from '../../common/graphql/types/schemas.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { TenantData } from '../../common/tenants/tenant-data.js';
import { LogBundleService } from './verification/log-bundle.service.js';
import { LogKeysController } from './seals/log-keys.controller.js';
import { ActivityService } from '../../common/lists/activity.service.js';
import { LogEditsService } from './logs/log-edits.service.js';
import { LogExportController } from './export/log-export.controller.js';
import { LogExportService } from './export/log-export.service.js';
import { LogUpdatesService } from './logs/log-updates.service.js';
import { LogProofService } from './verification/log-proof.service.js';
import { LogIngestService } from './logs/log-ingest.service.js';
import { LogWriterService } from './logs/log-writer.service.js';
import { LogRecorderModule } from './logs/log-recorder.module.js';
import { LogsResolver } from './logs/logs.resolver.js';
import { LogStreamer } from './streams/log-streamer.job.js';
import { LogStreamsResolver } from './streams/log-streams.resolver.js';
import { LogStreamsService } from './streams/log-streams.service.js';
import { StreamMetrics } from './streams/stream-metrics.js';
import { LogsService } from './logs/logs.service.js';
import { WrittenLogsService } from './logs/written-logs.service.js';
import { LogConsistencyService } from './verification/log-consistency.service.js';
import { LogSealer } from './seals/log-sealer.job.js';
import { LogVerifierService } from './verification/log-verifier.service.js';
import { LogRetentionModule } from './retention/log-retention.module.js';
import { RetainedLogs } from './retention/retained-logs.service.js';
import { LogRotationModule } from './seals/log-rotation.module.js';
import { SealMetrics } from './seals/seal-metrics.js';
import { SealsResolver } from './verification/seals.resolver.js';

const WRITING = [LogIngestService, LogWriterService, LogUpdatesService];
const READING = [LogsService, WrittenLogsService, LogEditsService, ActivityService];
const EXPORT = [LogExportController, LogExportService, LogBundleService];
const SEALS = [SealMetrics, LogSealer];
const STREAMS = [LogStreamsResolver, LogStreamsService, LogStreamer, StreamMetrics];
const PROOFS = [LogProofService, LogConsistencyService, LogVerifierService];

/**
 * Audit log of documents: the author, attribute, old and new value of each change. Stores acknowledged records durably and detects
 * tampering.
 */
@Module({
  imports: [LogRotationModule, LogRecorderModule, LogRetentionModule],
  exports: [LogRetentionModule],
  controllers: [LogKeysController],
  providers: [
    versionResolver('document-log'),
    accessOperations({ service: 'document-log', marker: DocumentLogSchema }),
    ...webhookOperations({ service: 'document-log', marker: DocumentLogSchema, kinds: LOG_EVENTS }),
    LogsResolver,
    SealsResolver,
    ...WRITING,
    ...READING,
    ...EXPORT,
    ...SEALS,
    ...PROOFS,
    ...STREAMS,
    RetainedLogs,
  ],
})
export class DocumentLogModule {
  constructor(data: TenantData) {
    // Delete blocks last: the sealer would reseal the rows of a deleted block.
    data.addRows('log records', 'Log', 'id');
    data.addRows('log edits', 'LogEdit', 'id');
    data.addRows('log blocks', 'LogBlock', 'tenantId', 'number');
  }
}
