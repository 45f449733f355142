import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { AppError } from '../../../common/base/app-error.js';
import { RenderingService } from '../../document-rendering/rendering.service.js';

interface Bodies {
  html: string | null;
  text: string | null;
}

/**
 * Generates the plain-text alternative of html bodies, in queues separate from the tenant's renderings, so that these do not delay mails.
 */
@Injectable()
export class PlainTextService {
  constructor(private readonly renderings: RenderingService) {}

  textOf(tenantId: string, html: string, field = 'html', asking?: AnswerBudget): Promise<string> {
    return this.renderings.textOf(`mail of ${tenantId}`, html, field, asking);
  }

  /** Returns the text of a stored mail, generated from the html if absent; null if that fails. */
  async alternativeOf(tenantId: string, { html, text }: Bodies, asking?: AnswerBudget): Promise<string | null> {
    if (html === null || text !== null) return text;
    try {
      return await this.textOf(tenantId, html, 'html', asking);
    } catch (error) {
      // Acceptance does not convert html this short. A mail without the alternative is better than none.
      if (error instanceof AppError && error.code === 'BAD_USER_INPUT') return null;
      throw error;
    }
  }
}
