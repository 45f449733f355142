import { Module } from '@nestjs/common';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { AdministrationModule } from './administration.module.js';
import { KeysResolver } from './keys.resolver.js';
import { PersonErasureJob } from './person-erasure.job.js';
import { PersonErasuresResolver } from './person-erasures.resolver.js';
import { TenantDeletion } from './tenant-deletion.job.js';
import { TenantsResolver } from './tenants.resolver.js';

/**
 * Administers tenants and their keys, restricted to keys created on the command line. Logs every action. Deletes tenants without leaving
 * data behind.
 */
@Module({
  imports: [AdministrationModule],
  providers: [versionResolver('admin'), TenantsResolver, KeysResolver, PersonErasuresResolver, TenantDeletion, PersonErasureJob],
})
export class AdminModule {}
