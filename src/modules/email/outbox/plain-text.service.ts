import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/bounds/answer-budget.js';
import { RenderingService } from '../../document-rendering/rendering.service.js';

/** Makes the plain-text alternative of html bodies, in separate queues, so that mails do not wait for the tenant's renderings. */
@Injectable()
export class PlainTextService {
  constructor(private readonly renderings: RenderingService) {}

  textOf(tenantId: string, html: string, field = 'html', asking?: AnswerBudget): Promise<string> {
    return this.renderings.textOf(`mail of ${tenantId}`, html, field, asking);
  }
}
