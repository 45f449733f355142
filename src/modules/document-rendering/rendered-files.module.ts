import { Module } from '@nestjs/common';
import { StoredFilesModule } from '../file-management/stored-files/stored-files.module.js';
import { BrowserSupply } from './pdf/browser-supply.js';
import { PdfMetrics } from './pdf/pdf-metrics.js';
import { PdfPrinter } from './pdf/pdf-printer.js';
import { RenderingModule } from './rendering.module.js';
import { RenderedFilesService } from './rendered-files.service.js';

/** Renders files for other services too. Has no resolvers, since a module that imported them would serve them in its own schema. */
@Module({
  imports: [RenderingModule, StoredFilesModule],
  providers: [BrowserSupply, PdfMetrics, PdfPrinter, RenderedFilesService],
  exports: [RenderedFilesService],
})
export class RenderedFilesModule {}
