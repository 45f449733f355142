import { Global, Module } from '@nestjs/common';
import { KeptDocuments } from './kept-documents.js';
import { Cursors } from './page.js';

/** What the GraphQL side of every service shares. */
@Global()
@Module({ providers: [Cursors, KeptDocuments], exports: [Cursors, KeptDocuments] })
export class GraphqlModule {}
