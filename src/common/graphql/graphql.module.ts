// Room: GraphQL endpoints: documents, access, execution, answers, consoles.
import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeptDocuments } from './documents/kept-documents.js';
import { OperationPlaces } from './execution/operation-places.js';
import { AccessGuard } from './access/access.guard.js';
import { Cursors } from '../lists/cursors.js';

/** Shared by the GraphQL side of every service. Refuses every field that declares no access. */
@Global()
@Module({
  providers: [Cursors, KeptDocuments, OperationPlaces, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [Cursors, KeptDocuments, OperationPlaces],
})
export class GraphqlModule {}
