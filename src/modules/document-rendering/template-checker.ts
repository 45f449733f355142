import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import type { TemplateSource } from './rendering/render-job.js';

/** Whether subject and body are written in the template language. */
@Injectable()
export class TemplateChecker {
  /** @throws BAD_USER_INPUT that names the field below the prefix, the line and the column */
  async check(_caller: Caller, _source: TemplateSource, _fieldPrefix: string): Promise<void> {}
}
