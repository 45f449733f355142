import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { badInput } from '../../../common/base/app-error.js';
import { BREAK, textFault } from '../../../common/base/text.js';
import { RenderingService } from '../../document-rendering/rendering.service.js';
import { MAX_SUBJECT } from '../models/limits.js';
import type { NewEmail } from '../message-storage/email-row.js';
import { PlainTextService } from '../outbox/plain-text.service.js';
import { type CallSize, isGiven } from './message-batch.js';
import { attachmentsOf, contentIdFault } from './attachment.inputs.js';
import type { CheckedMessage } from './message.inputs.js';

/** Length of html up to which the plain text is generated on sending. Conversion never fails for such short html. */
const MAX_HTML_CONVERTED_LATER = 64 * 1024;

/** Unsubscribe URL, and the size counter of the call. */
interface OfCall {
  unsubscribeUrl: string | null;
  size: CallSize;
}

type Content = Pick<NewEmail, 'subject' | 'html' | 'text'>;

/** Renders the content of a message at acceptance, so that later changes of a template do not affect it. */
@Injectable()
export class MessageContentService {
  constructor(
    private readonly renderings: RenderingService,
    private readonly plainTexts: PlainTextService,
  ) {}

  /**
   * Renders the content. Templates read the unsubscribe URL as unsubscribeUrl.
   * @throws PAYLOAD_TOO_LARGE if the call exceeds its size; BAD_USER_INPUT for missing or contradictory content; for a template, the errors
   * of RenderingService.renderEmail
   */
  async contentOf(caller: Caller, message: CheckedMessage, { unsubscribeUrl, size }: OfCall): Promise<Content> {
    checkOneSource(message);
    const content =
      typeof message.templateName === 'string' ? await this.rendered(caller, message, unsubscribeUrl) : ownContent(message);
    size.add(content);
    checkContentIds(message, content);
    if (content.html === null || content.text !== null || content.html.length <= MAX_HTML_CONVERTED_LATER) return content;
    const field = message.templateName ? 'input.templateName' : 'input.htmlBody';
    return { ...content, text: await this.plainTexts.textOf(caller.tenantId, content.html, field, caller.budget) };
  }

  private async rendered(
    caller: Caller,
    { templateName, params, ...options }: CheckedMessage,
    unsubscribeUrl: string | null,
  ): Promise<Content> {
    const given = withParameter(params ?? '{}', 'unsubscribeUrl', unsubscribeUrl);
    const { strict, locale, timeZone, templateVersion: version } = options;
    const input = { templateName: templateName!, version, params: given, strict, locale, timeZone };
    const rendered = await this.renderings.renderEmail(caller, input);
    const subject = asSubject(rendered.subject);
    if ('problem' in subject) throw badInput('input.templateName', subject.problem);
    return { ...rendered, ...subject };
  }
}

/** Normalizes a rendered subject to one line, or returns the error message. */
function asSubject(rendered: string): { subject: string } | { problem: string } {
  const subject = rendered.replaceAll(new RegExp(BREAK, 'gu'), ' ');
  const problem = textFault(subject, { max: MAX_SUBJECT });
  return problem === undefined ? { subject } : { problem: `renders a subject that ${problem}` };
}

function ownContent({ subject, htmlBody, textBody }: CheckedMessage): Content {
  return { subject: subject ?? '', html: htmlBody ?? null, text: textBody ?? null };
}

/**
 * Appends a member to the text of a JSON object, overriding an earlier one of that name. Leaves other text unchanged, to fail in the
 * parser.
 */
function withParameter(json: string, name: string, value: string | null): string {
  const end = json.trimEnd();
  if (value === null || !end.endsWith('}')) return json;
  const isEmpty = /^\s*\{\s*\}$/.test(end);
  return `${end.slice(0, -1)}${isEmpty ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}}`;
}

/** Checks that the rendered html references each attachment with a contentId. */
function checkContentIds(message: CheckedMessage, { html }: Content): void {
  const fault = contentIdFault(html, attachmentsOf(message));
  if (fault) throw badInput(fault.field, fault.problem);
}

/** Checks that a message has either a template or bodies. */
function checkOneSource(message: CheckedMessage): void {
  const { templateName, strict, htmlBody, textBody } = message;
  if (!isGiven(templateName)) {
    for (const field of ['templateVersion', 'params', 'locale', 'timeZone'] as const)
      if (isGiven(message[field])) throw badInput(`input.${field}`, 'needs templateName');
    if (strict) throw badInput('input.strict', 'needs templateName');
    if (!isGiven(htmlBody) && !isGiven(textBody))
      throw badInput('input.htmlBody', 'is missing; send htmlBody, textBody or templateName');
    return;
  }
  for (const field of ['subject', 'htmlBody', 'textBody'] as const) {
    if (isGiven(message[field])) throw badInput(`input.${field}`, 'conflicts with templateName, which provides it; leave it out');
  }
}
