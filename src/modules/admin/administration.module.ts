// Room: Administers tenants and keys for the API and the command line, and logs each action.
import { Module } from '@nestjs/common';
import { TenantsService } from '../../common/tenants/tenants.service.js';
import { LogRecorderModule } from '../document-log/logs/log-recorder.module.js';
import { AuditService } from './audit.service.js';
import { KeyAdministrationService } from './key-administration.service.js';
import { PersonErasuresService } from './person-erasures.service.js';
import { TenantAdministrationService } from './tenant-administration.service.js';

/** Administers tenants and keys, for the Administration API and the command line. */
@Module({
  imports: [LogRecorderModule],
  providers: [TenantsService, AuditService, TenantAdministrationService, KeyAdministrationService, PersonErasuresService],
  exports: [TenantsService, AuditService, TenantAdministrationService, KeyAdministrationService, PersonErasuresService],
})
export class AdministrationModule {}
