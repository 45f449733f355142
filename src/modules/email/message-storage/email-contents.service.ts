import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { inSteps } from '../../../common/lists/steps.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import type { EmailContent } from '../models/content.model.js';
import { INLINE } from './attachment-row.js';
import { readContents, sizesOfContents, type StoredContent } from './email-contents.queries.js';

type ContentsById = ReadonlyMap<string, EmailContent | null>;

/** Reads the content of messages on demand only, as it can have 10 MiB. */
@Injectable()
export class EmailContentsService {
  constructor(
    private readonly database: Database,
    private readonly files: AttachableContentService,
  ) {}

  /** Returns a loader of contents. Its first call loads the contents of the whole page. */
  loaderOf(caller: Pick<Caller, 'tenantId' | 'budget'>, ids: string[]): (id: string) => Promise<EmailContent | null> {
    let contents: Promise<ContentsById> | undefined;
    return async (id) => {
      contents ??= this.contentsOf(caller, ids);
      return (await contents).get(id) ?? null;
    };
  }

  /** Reserves memory for all contents, then reads them in steps of up to PAGE_BYTES. @throws the errors of AnswerBudget */
  private async contentsOf({ tenantId, budget }: Pick<Caller, 'tenantId' | 'budget'>, ids: string[]): Promise<ContentsById> {
    const sizes = await sizesOfContents(this.database, { tenantId, ids });
    await budget?.reserve([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0));
    const contents = new Map<string, EmailContent | null>();
    for await (const step of inSteps(sizes, tenantId)) {
      for (const one of await readContents(this.database, { tenantId, ids: step })) contents.set(one.id, this.shown(one));
    }
    return contents;
  }

  private shown({ html, text, attachments, headers }: StoredContent): EmailContent | null {
    if (html === null && text === null) return null;
    const shown = attachments.map(([name, contentType, size, blobKey, contentId]) => ({
      name,
      contentType,
      size,
      fileId: blobKey === INLINE ? null : this.files.fileIdOf(blobKey),
      contentId,
    }));
    return { html, text, attachments: shown, headers };
  }
}
