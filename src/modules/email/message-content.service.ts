import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { badInput } from '../../common/errors/app-error.js';
import { RenderingService } from '../document-rendering/rendering.service.js';
import type { NewEmail } from './email-row.js';
import { asSubject, type MessageGiven } from './inputs/email.rules.js';

/** The text of html up to here is made when it is sent: it cannot take so much that it would have to be refused. */
const TEXT_LATER = 64 * 1024;

type Content = Pick<NewEmail, 'subject' | 'html' | 'text'>;

/** Decides what stands in a message. It is decided at its acceptance, so that what was accepted is what is sent. */
@Injectable()
export class MessageContentService {
  constructor(private readonly renderings: RenderingService) {}

  /** @throws BAD_USER_INPUT when content is missing or said twice, and what a template is refused with */
  async of(caller: Caller, given: MessageGiven): Promise<Content> {
    checkOneSource(given);
    const content = typeof given.templateName === 'string' ? await this.rendered(caller, given) : ownContent(given);
    if (content.html === null || content.text !== null || content.html.length <= TEXT_LATER) return content;
    const field = given.templateName ? 'input.templateName' : 'input.htmlBody';
    return { ...content, text: await this.textOf(caller.tenantId, content.html, field) };
  }

  /** The plain alternative of an html body. In a queue of its own, so that mails do not wait for the tenant's renderings. */
  textOf(tenantId: string, html: string, field = 'html'): Promise<string> {
    return this.renderings.textOf(`mail of ${tenantId}`, html, field);
  }

  private async rendered(caller: Caller, { templateName, params, strict }: MessageGiven): Promise<Content> {
    const rendered = await this.renderings.renderEmail(caller, { templateName: templateName!, params: params ?? '{}', strict });
    const subject = asSubject(rendered.subject);
    if ('fault' in subject) throw badInput('input.templateName', subject.fault);
    return { ...rendered, ...subject };
  }
}

function ownContent({ subject, htmlBody, textBody }: MessageGiven): Content {
  return { subject: subject ?? '', html: htmlBody ?? null, text: textBody ?? null };
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

function checkOneSource(given: MessageGiven): void {
  const { templateName, params, strict, htmlBody, textBody } = given;
  if (!isGiven(templateName)) {
    if (isGiven(params)) throw badInput('input.params', 'needs templateName');
    if (strict) throw badInput('input.strict', 'needs templateName');
    if (!isGiven(htmlBody) && !isGiven(textBody)) throw badInput('input.htmlBody', 'is required, or textBody or templateName');
    return;
  }
  for (const field of ['subject', 'htmlBody', 'textBody'] as const) {
    if (isGiven(given[field])) throw badInput(`input.${field}`, 'must be left out with templateName: the template says it');
  }
}
