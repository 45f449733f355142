import { Global, Module } from '@nestjs/common';
import { KeptDocuments } from './kept-documents.js';
import { Cursors } from './cursors.js';

/** Shared by the GraphQL side of every service. */
@Global()
@Module({ providers: [Cursors, KeptDocuments], exports: [Cursors, KeptDocuments] })
export class GraphqlModule {}
