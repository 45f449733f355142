import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { asBytes, MIB } from '../../../common/base/amounts.js';
import { Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { MAX_REPORT_BYTES } from './reports/mail-parts.js';
import { EmailBounce } from '../models/bounce.model.js';
import { MAX_REPORT } from '../models/limits.js';
import { BouncesService } from './bounces.service.js';

/** Cost of reading a report: an operation has room for 20. */
const READING = { memoryBytes: 4 * MIB, cost: 5_000, text: { argument: 'report', length: MAX_REPORT_BYTES } };

@Resolver()
@AccessByScope('email')
export class BouncesResolver {
  constructor(private readonly bounces: BouncesService) {}

  @Heavy(READING)
  @Mutation(() => EmailBounce, {
    nullable: true,
    description:
      'Records a report of a bounce (RFC 3464, or free text of mail servers) or of a complaint (RFC 5965), and returns the bounce of ' +
      'its recipient. Idempotent; a more severe report takes precedence. BAD_USER_INPUT if the mail is not such a report; ' +
      `NOT_FOUND if it has no return path of a message of the tenant. ${HEAVY_BOUNDS}`,
  })
  reportBounce(
    @CurrentCaller() caller: Caller,
    @Args('report', {
      type: () => String,
      description:
        `Unmodified mail with its headers, up to ${asBytes(MAX_REPORT)}, of which the first ${asBytes(MAX_REPORT_BYTES)} are ` +
        'read; the returned mail may be truncated.',
    })
    report: string,
  ): Promise<EmailBounce> {
    return this.bounces.report(caller, report);
  }
}
