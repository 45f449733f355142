import { Module } from '@nestjs/common';
import { AccessService } from '../../common/access/access.service.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { AdministrationModule } from './administration.module.js';
import { AuditService } from './audit.service.js';
import { KeysResolver } from './keys.resolver.js';
import { PersonErasureJob } from './person-erasure.job.js';
import { PersonErasuresResolver } from './person-erasures.resolver.js';
import { SessionAdministrationService } from './session-administration.service.js';
import { SessionsResolver } from './sessions.resolver.js';
import { TenantDeletion } from './tenant-deletion.job.js';
import { TenantsResolver } from './tenants.resolver.js';

/**
 * Administers tenants and their keys, restricted to keys created on the command line. Logs every action. Deletes tenants without leaving
 * data behind.
 */
@Module({
  imports: [AdministrationModule],
  providers: [
    versionResolver('admin'),
    TenantsResolver,
    KeysResolver,
    PersonErasuresResolver,
    SessionsResolver,
    SessionAdministrationService,
    TenantDeletion,
    PersonErasureJob,
  ],
})
export class AdminModule {
  constructor(access: AccessService, audit: AuditService) {
    access.noteDenials((transaction, caller, denial) => audit.denial(transaction, caller, denial));
  }
}
