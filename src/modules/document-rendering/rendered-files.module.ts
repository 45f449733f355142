import { Module } from '@nestjs/common';
import { StoredFilesModule } from '../file-management/files/stored-files.module.js';
import { BrowserSupply } from './pdf/browser-supply.js';
import { ChromiumEngine } from './pdf/chromium-engine.js';
import { GotenbergEngine } from './pdf/gotenberg-engine.js';
import { PdfMetrics } from './pdf/pdf-metrics.js';
import { PdfThread } from './pdf/pdf-thread.js';
import { PdfPrinter } from './pdf/pdf-printer.js';
import { RenderingModule } from './rendering.module.js';
import { RenderedFilesService } from './rendered-files.service.js';

/** Renders files, also for other services. Has no resolvers, since an importing module would serve them in its own schema. */
@Module({
  imports: [RenderingModule, StoredFilesModule],
  providers: [BrowserSupply, ChromiumEngine, GotenbergEngine, PdfMetrics, PdfPrinter, PdfThread, RenderedFilesService],
  exports: [RenderedFilesService],
})
export class RenderedFilesModule {}
