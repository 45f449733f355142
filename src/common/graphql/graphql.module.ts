// Room: GraphQL endpoints: documents, access, execution, answers, consoles.
import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeptDocuments } from './documents/kept-documents.js';
import { OperationSlots } from './execution/operation-slots.js';
import { AccessGuard } from './access/access.guard.js';
import { Cursors } from '../lists/cursors.js';

/** Shared by the GraphQL side of every service. Refuses every field that declares no access. */
@Global()
@Module({
  providers: [Cursors, KeptDocuments, OperationSlots, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [Cursors, KeptDocuments, OperationSlots],
})
export class GraphqlModule {}
