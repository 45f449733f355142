import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { AppError, forAccepted, orRefusal, renamed } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { inParallel } from '../../../common/scheduling/concurrency.js';
import { RenderedFilesService } from '../../document-rendering/rendered-files.service.js';
import { RENDERED_KEPT_MS } from '../models/limits.js';
import { type AcceptedMessage, OutboxWriterService, type StoredMessage } from '../outbox/outbox-writer.service.js';
import type { PlacedAttachment } from '../message-storage/attachment-row.js';
import type { RenderedAttachment } from './attachment.inputs.js';

/** Messages of a call rendered concurrently. */
const RENDERED_AT_A_TIME = 8;

/** Message with attachments still to be rendered. */
export interface MadeMessage extends AcceptedMessage {
  toRender: RenderedAttachment[];
}

type Stored = StoredMessage | AppError | undefined;

/** Renders attachments into files, and attaches these to their messages. */
@Injectable()
export class RenderedAttachmentsService {
  constructor(
    private readonly files: RenderedFilesService,
    private readonly writer: OutboxWriterService,
    private readonly logger: Logger,
  ) {}

  /**
   * Stores messages like OutboxWriterService.store. Renders last, after all other checks of a message. Removes the files of a rejected
   * message, and of one with an already taken idempotency key.
   */
  async store(caller: Caller, messages: MadeMessage[]): Promise<Stored[]> {
    const store = (complete: AcceptedMessage[]) => this.writer.store(caller.tenantId, complete);
    if (messages.every(({ toRender }) => toRender.length === 0)) return store(messages);
    const files = new Map(messages.map((message) => [message, [] as PlacedAttachment[]]));
    const complete = await inParallel(messages, RENDERED_AT_A_TIME, (message) =>
      orRefusal(() => this.completed(caller, message, files.get(message)!)),
    );
    const results = await forAccepted<AcceptedMessage, Stored>(complete, store);
    const unused = messages.flatMap((message, index) => (isStored(results[index]) ? [] : files.get(message)!));
    await Promise.all(unused.map((file) => this.remove(caller, file)));
    return results;
  }

  /**
   * Renders into `made` sequentially, stopping at the first error.
   * @throws the errors of OutboxWriterService.check, and those of RenderedFilesService.render with the field of the attachment
   */
  private async completed(caller: Caller, message: MadeMessage, made: PlacedAttachment[]): Promise<AcceptedMessage> {
    const { toRender, attachments } = message;
    if (toRender.length > 0) await this.writer.check(caller.tenantId, message);
    for (const [index, attachment] of toRender.entries()) {
      const at = `renderedAttachments.${index}`;
      const { name, params, ...given } = attachment;
      const file = { name, expiresIn: RENDERED_KEPT_MS / 1_000 };
      try {
        const { fileId } = await this.files.render(caller, { ...given, params: params ?? '{}', file });
        made.push({ name, fileId, at });
      } catch (error) {
        throw error instanceof AppError ? inAttachment(error, at) : error;
      }
    }
    return { ...message, attachments: [...attachments, ...made] };
  }

  /** Removes a file. On failure, the file expires later. */
  private async remove(caller: Caller, file: PlacedAttachment): Promise<void> {
    if (!('fileId' in file)) return;
    await this.files.remove(caller, file.fileId).catch((error: unknown) => {
      this.logger.warn({ err: error, fileId: file.fileId }, 'a rendered file of a rejected mail could not be removed');
    });
  }
}

const isStored = (result: Stored): boolean => result !== undefined && !(result instanceof AppError);

/** Maps a field of renderFile to that of sendMessage. */
function inAttachment(error: AppError, at: string): AppError {
  const { field } = error;
  return field === undefined ? error : renamed(error, field.replace(/^input(\.file)?/, `input.${at}`));
}
