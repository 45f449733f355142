// Room: Commands of `platform-services`.
import { Global, Module } from '@nestjs/common';
import { ApiKeysService } from '../common/auth/api-keys.service.js';
import { BoundKeysService } from '../common/auth/bound-keys.service.js';
import { Cursors } from '../common/lists/cursors.js';
import { KeyBinding } from '../common/signing/key-binding.js';
import { TenantData } from '../common/tenants/tenant-data.js';
import { AdministrationModule } from '../modules/admin/administration.module.js';
import { TenantUsageModule } from '../usage/tenant-usage.module.js';
import { AdminCommands } from './admin-commands.js';

/** Global providers of a server that administration needs. */
const SHARED = [KeyBinding, ApiKeysService, BoundKeysService, Cursors, TenantData];

/** Providers for administering tenants and keys without a server. */
@Global()
@Module({ imports: [TenantUsageModule, AdministrationModule], providers: [...SHARED, AdminCommands], exports: SHARED })
export class AdminCommandsModule {}
