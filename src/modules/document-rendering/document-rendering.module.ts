import { Module } from '@nestjs/common';
import { DocumentRenderingResolver } from './document-rendering.resolver.js';

/** Renders text and HTML templates with parameters. What a template can do is bounded: it never runs code and never reads anything but its parameters. */
@Module({ providers: [DocumentRenderingResolver] })
export class DocumentRenderingModule {}
