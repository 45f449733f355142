import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from './common/access/access.module.js';
import { AuthModule } from './common/auth/auth.module.js';
import { BatchingModule } from './common/scheduling/batching.module.js';
import type { Config } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { DatabaseModule } from './common/database/database.module.js';
import { EventsModule } from './common/events/events.module.js';
import { type GraphqlEndpoint, graphqlEndpoint } from './common/graphql/graphql-endpoint.js';
import { GraphqlModule } from './common/graphql/graphql.module.js';
import { HealthModule } from './common/health/health.module.js';
import { HttpModule } from './common/http/http.module.js';
import type { Logger } from './common/logging/logger.js';
import { LoggerModule } from './common/logging/logger.module.js';
import { MetricsModule } from './common/metrics/metrics.module.js';
import { OutboundModule } from './common/outbound/outbound.module.js';
import { StoredSecretsModule } from './common/signing/stored-secrets.module.js';
import { SigningModule } from './common/signing/signing.module.js';
import { TelemetryModule } from './common/telemetry/telemetry.module.js';
import { IdempotencyModule } from './common/idempotency/idempotency.module.js';
import { TenantsModule } from './common/tenants/tenants.module.js';
import { JobsModule } from './common/jobs/jobs.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { AdminModule } from './modules/admin/admin.module.js';
import {
  AdminSchema,
  DocumentLogSchema,
  DocumentRenderingSchema,
  EmailSchema,
  FileManagementSchema,
  WebsocketsManagerSchema,
} from './common/graphql/types/schemas.js';
import { DocumentLogModule } from './modules/document-log/document-log.module.js';
import { DocumentRenderingModule } from './modules/document-rendering/document-rendering.module.js';
import { EmailModule } from './modules/email/email.module.js';
import { FileManagementModule } from './modules/file-management/file-management.module.js';
import { WebsocketsManagerModule } from './modules/websockets-manager/websockets-manager.module.js';
import { PeopleModule } from './people/people.module.js';
import { RestModule } from './rest/rest.module.js';
import { StudioModule } from './studio/studio.module.js';
import { TestingModule } from './testing/testing.module.js';
import { KeyModule } from './usage/key.module.js';
import { TenantUsageModule } from './usage/tenant-usage.module.js';

/** Services of the application. Each has its own folder, URL path, schema and scope entries; only this list joins them. */
const ENDPOINTS: GraphqlEndpoint[] = [
  { service: 'file-management', module: FileManagementModule, marker: FileManagementSchema },
  { service: 'document-rendering', module: DocumentRenderingModule, marker: DocumentRenderingSchema },
  { service: 'websockets-manager', module: WebsocketsManagerModule, marker: WebsocketsManagerSchema },
  { service: 'document-log', module: DocumentLogModule, marker: DocumentLogSchema },
  { service: 'email', module: EmailModule, marker: EmailSchema },
  { service: 'admin', module: AdminModule, marker: AdminSchema },
];

@Module({})
export class AppModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        LoggerModule.with(logger),
        DatabaseModule,
        SigningModule,
        StoredSecretsModule,
        AuthModule,
        TenantsModule,
        TenantUsageModule,
        JobsModule,
        IdempotencyModule,
        MetricsModule,
        BatchingModule,
        OutboundModule,
        HealthModule,
        TelemetryModule,
        HttpModule,
        GraphqlModule,
        EventsModule,
        AccessModule,
        ...ENDPOINTS.map(({ module }) => module),
        ...ENDPOINTS.map(graphqlEndpoint),
        KeyModule,
        McpModule,
        RestModule,
        StudioModule,
        ...(config.oidc ? [PeopleModule] : []),
        ...(config.testingKey ? [TestingModule] : []),
      ],
    };
  }
}
