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

/** Cost of a report of the length that is read: an operation has room for 20. */
const READING = { memoryBytes: 4 * MIB, cost: 5_000, text: { argument: 'report', length: MAX_REPORT_BYTES } };

@Resolver()
@AccessByScope('email')
export class BouncesResolver {
  constructor(private readonly bounces: BouncesService) {}

  @Heavy(READING)
  @Mutation(() => EmailBounce, {
    nullable: true,
    description:
      'Takes a report of a bounce (RFC 3464, or as mail servers word it) or of a complaint (RFC 5965), and returns what is recorded at ' +
      'its recipient. A report has its effect once, and none beside a graver one. BAD_USER_INPUT for a mail that is no such report; ' +
      `NOT_FOUND when it has no return path of a message of the tenant. ${HEAVY_BOUNDS}`,
  })
  reportBounce(
    @CurrentCaller() caller: Caller,
    @Args('report', {
      type: () => String,
      description:
        `The mail as it came, with its headers, up to ${asBytes(MAX_REPORT)}, of which the first ${asBytes(MAX_REPORT_BYTES)} are ` +
        'read; the mail that it returns may be cut off.',
    })
    report: string,
  ): Promise<EmailBounce> {
    return this.bounces.report(caller, report);
  }
}
