import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { MaxItems } from '../../common/scheduling/list-size.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { PreviewInput, RenderingInput } from './rendering.inputs.js';
import { RenderingResult } from './models/rendering.model.js';
import { MAX_PARAM_NAMES } from './models/template.model.js';
import { RenderingService } from './rendering.service.js';
import { Rendering } from '../../common/scheduling/work-class.js';
import { asBytes, asSeconds } from '../../common/base/amounts.js';
import { CLOCK_LIMIT_MS, MAX_WAITING_OF_TENANT, WORK_LIMIT_MS } from './models/limits.js';
import { MAX_OUTPUT } from './template-language/result/refusal.js';

const BOUNDS =
  `At most ${asSeconds(WORK_LIMIT_MS)} seconds of processor time and ${asBytes(MAX_OUTPUT)} of output, else BAD_USER_INPUT or ` +
  `PAYLOAD_TOO_LARGE; RATE_LIMITED if ${MAX_WAITING_OF_TENANT} renderings of the tenant are already queued; SERVICE_UNAVAILABLE ` +
  `if the machine is too busy to finish within ${asSeconds(CLOCK_LIMIT_MS)} seconds.`;

@Resolver(() => RenderingResult)
@AccessByScope('document-rendering')
export class RenderingResolver {
  constructor(private readonly renderings: RenderingService) {}

  /**
   * Identical previews do not share a run, unlike heavy fields: hashing the input costs 22 µs at 4 KB and blocks for 32 ms at 6
   * MiB. RenderPool limits concurrent previews.
   */
  @Rendering()
  @Query(() => RenderingResult, { nullable: true, description: `Renders an unsaved template. ${BOUNDS}` })
  preview(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => PreviewInput, description: 'Template and its params.' }) input: PreviewInput,
  ): Promise<RenderingResult> {
    return this.renderings.preview(caller, input);
  }

  @Rendering()
  @Query(() => RenderingResult, { nullable: true, description: `Renders a saved template. ${BOUNDS}` })
  render(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => RenderingInput, description: 'Name of the template, and its params.' })
    input: RenderingInput,
  ): Promise<RenderingResult> {
    return this.renderings.render(caller, input);
  }

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Rendering()
  @Query(() => [String], {
    nullable: 'itemsAndList',
    description:
      'Dotted names of the parameters that a saved template or its translations read, sorted and unique. NOT_FOUND for an unknown name.',
  })
  templateParams(
    @CurrentCaller() caller: Caller,
    @Args('templateName', { type: () => String, description: 'Name of a saved template, case-sensitive.' }) templateName: string,
  ): Promise<string[]> {
    return this.renderings.templateParams(caller, templateName);
  }

  @ResolveField(() => String, {
    nullable: true,
    description: 'Plain-text alternative of an html email; null otherwise. Created only on request.',
  })
  text(@Parent() { makeText }: RenderingResult): Promise<string | null> {
    return makeText();
  }
}
