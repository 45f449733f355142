import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { AppError, renamed } from '../../../common/errors/app-error.js';
import { RenderedFilesService } from '../../document-rendering/rendered-files.service.js';
import type { PlacedAttachment, RenderedAttachment } from '../inputs/attachment.rules.js';
import { RENDERED_KEPT_MS } from '../models/limits.js';

/** Renders attachments of a message into files, which the message then attaches as any others. */
@Injectable()
export class RenderedAttachmentsService {
  constructor(private readonly files: RenderedFilesService) {}

  /**
   * Renders one after the other: a message that is refused for one has not rendered the next.
   * @throws the errors of RenderedFilesService.render, with the field of the attachment
   */
  async render(caller: Caller, attachments: RenderedAttachment[]): Promise<PlacedAttachment[]> {
    const rendered: PlacedAttachment[] = [];
    for (const [index, attachment] of attachments.entries()) {
      const at = `renderedAttachments.${index}`;
      const { name, params, ...given } = attachment;
      const file = { name, expiresIn: RENDERED_KEPT_MS / 1_000 };
      try {
        const { fileId } = await this.files.render(caller, { ...given, params: params ?? '{}', file });
        rendered.push({ name, fileId, at });
      } catch (error) {
        throw error instanceof AppError ? inAttachment(error, at) : error;
      }
    }
    return rendered;
  }
}

/** Names a field of renderFile as the caller of sendMessage knows it. */
function inAttachment(error: AppError, at: string): AppError {
  const { field } = error;
  return field === undefined ? error : renamed(error, field.replace(/^input(\.file)?/, `input.${at}`));
}
