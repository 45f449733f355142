// Room: GraphQL endpoints: documents, access, execution, answers, consoles.
import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeptDocuments } from './documents/kept-documents.js';
import { OperationSlots } from './execution/operation-slots.js';
import { Operations } from './operations.js';
import { AccessGuard } from './access/access.guard.js';
import { Cursors } from '../lists/cursors.js';

/** Provides the GraphQL parts shared by all services. Refuses every field without declared access. */
@Global()
@Module({
  providers: [Cursors, KeptDocuments, OperationSlots, Operations, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [Cursors, KeptDocuments, OperationSlots, Operations],
})
export class GraphqlModule {}
