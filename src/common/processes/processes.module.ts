import { Global, Module } from '@nestjs/common';
import { Siblings } from './siblings.js';

/** The worker processes of one node, which know of each other and exchange letters. */
@Global()
@Module({ providers: [Siblings], exports: [Siblings] })
export class ProcessesModule {}
