import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { AppError } from '../../../common/base/app-error.js';
import { RenderingService } from '../../document-rendering/rendering.service.js';

interface Bodies {
  html: string | null;
  text: string | null;
}

/** Makes the plain-text alternative of html bodies, in separate queues, so that mails do not wait for the tenant's renderings. */
@Injectable()
export class PlainTextService {
  constructor(private readonly renderings: RenderingService) {}

  textOf(tenantId: string, html: string, field = 'html', asking?: AnswerBudget): Promise<string> {
    return this.renderings.textOf(`mail of ${tenantId}`, html, field, asking);
  }

  /** Returns the text of a stored mail, made of its html where it has none of its own; null if none can be made. */
  async alternativeOf(tenantId: string, { html, text }: Bodies, asking?: AnswerBudget): Promise<string | null> {
    if (html === null || text !== null) return text;
    try {
      return await this.textOf(tenantId, html, 'html', asking);
    } catch (error) {
      // Acceptance did not try to convert html this small. A mail without the plain alternative is better than no mail.
      if (error instanceof AppError && error.code === 'BAD_USER_INPUT') return null;
      throw error;
    }
  }
}
