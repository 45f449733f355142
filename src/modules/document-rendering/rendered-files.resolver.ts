import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../common/auth/caller.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { asBytes, asCount, asSeconds } from '../../common/base/amounts.js';
import { Printing } from '../../common/scheduling/work-class.js';
import { RenderFileInput } from './rendered-file.inputs.js';
import {
  MAX_PDF_BYTES,
  MAX_PDF_PAGES,
  MAX_PDFS_WAITING_OF_TENANT,
  PDF_MEMORY_BYTES,
  PDF_WORK_LIMIT_MS,
} from './models/limits.js';
import { RenderedFile } from './models/rendered-file.model.js';
import { RenderedFilesService } from './rendered-files.service.js';

@Resolver(() => RenderedFile)
@AccessByScope('document-rendering')
export class RenderedFilesResolver {
  constructor(private readonly files: RenderedFilesService) {}

  @Printing()
  @Mutation(() => RenderedFile, {
    nullable: true,
    description:
      `Renders an HTML template as a PDF, and stores it as a file in file management. FAILED_PRECONDITION on a server without a browser. ` +
      `At most ${asCount(MAX_PDF_PAGES)} pages and ${asBytes(MAX_PDF_BYTES)}, and within the tenant's file limits, else ` +
      `PAYLOAD_TOO_LARGE; at most ${asSeconds(PDF_WORK_LIMIT_MS)} seconds of processor time and ${asBytes(PDF_MEMORY_BYTES)} of memory, ` +
      `else BAD_USER_INPUT. RATE_LIMITED if ${MAX_PDFS_WAITING_OF_TENANT} PDFs of the tenant are already queued.`,
  })
  renderFile(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => RenderFileInput, description: 'Template, its params, and the new file.' })
    input: RenderFileInput,
  ): Promise<RenderedFile> {
    return this.files.render(caller, input);
  }
}
