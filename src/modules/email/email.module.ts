import { Module } from '@nestjs/common';
import { EmailResolver } from './email.resolver.js';

/** Sends email, with files as attachments and templates as content. A message that was accepted is sent, whatever crashes in between. */
@Module({ providers: [EmailResolver] })
export class EmailModule {}
