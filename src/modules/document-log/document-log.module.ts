import { Module } from '@nestjs/common';
import { DocumentLogResolver } from './document-log.resolver.js';

/** Keeps who changed which attribute of which document. What was answered is stored, and a later change of it is noticed. */
@Module({ providers: [DocumentLogResolver] })
export class DocumentLogModule {}
