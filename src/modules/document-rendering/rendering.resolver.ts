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
  `PAYLOAD_TOO_LARGE; RATE_LIMITED when ${MAX_WAITING_OF_TENANT} renderings of the tenant wait already; SERVICE_UNAVAILABLE ` +
  `when the machine is too busy to render it within ${asSeconds(CLOCK_LIMIT_MS)} seconds.`;

@Resolver(() => RenderingResult)
@AccessByScope('document-rendering')
export class RenderingResolver {
  constructor(private readonly renderings: RenderingService) {}

  /**
   * Unlike heavy fields, previews with equal input do not share their work: a hash of the input would cost each preview 22 µs at
   * 4 KB and 32 ms in one step at 6 MiB. Concurrent previews are bounded by RenderPool.
   */
  @Rendering()
  @Query(() => RenderingResult, { nullable: true, description: `Renders a template that is not saved. ${BOUNDS}` })
  preview(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => PreviewInput, description: 'The template and its params.' }) input: PreviewInput,
  ): Promise<RenderingResult> {
    return this.renderings.preview(caller, input);
  }

  @Rendering()
  @Query(() => RenderingResult, { nullable: true, description: `Renders a saved template. ${BOUNDS}` })
  render(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => RenderingInput, description: 'The name of the template, and its params.' })
    input: RenderingInput,
  ): Promise<RenderingResult> {
    return this.renderings.render(caller, input);
  }

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Rendering()
  @Query(() => [String], {
    nullable: 'itemsAndList',
    description:
      'The dotted names that a saved template or one of its translations reads, sorted, each once. NOT_FOUND when no template has that name.',
  })
  templateParams(
    @CurrentCaller() caller: Caller,
    @Args('templateName', { type: () => String, description: 'Name of a saved template, case-sensitive.' }) templateName: string,
  ): Promise<string[]> {
    return this.renderings.templateParams(caller, templateName);
  }

  @ResolveField(() => String, {
    nullable: true,
    description: 'The plain-text alternative of an html email; null for everything else. Made only on request.',
  })
  text(@Parent() { makeText }: RenderingResult): Promise<string | null> {
    return makeText();
  }
}
