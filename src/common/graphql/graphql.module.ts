import { Global, Module } from '@nestjs/common';
import { Cursors } from './page.js';

/** What the GraphQL side of every service shares. */
@Global()
@Module({ providers: [Cursors], exports: [Cursors] })
export class GraphqlModule {}
