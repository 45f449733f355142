import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers, WRITES } from '../../../common/scheduling/batchers.js';
import type { NewFile } from '../file-storage/file-row.js';
import { asElement, insertFiles } from '../file-storage/files.queries.js';

/** Maximum characters of one statement. */
const MAX_STATEMENT = 4 * 1024 * 1024;
/** Number of concurrent statements. PostgreSQL groups their commits; SQLite serializes writers. */
const MAX_RUNNING = 4;

interface Pending {
  tenantId: string;
  element: string;
}

/** Inserts new files. Concurrent callers share a statement and its commit. */
@Injectable()
export class FileWriterService {
  private readonly files: Batcher<Pending>;

  constructor(
    private readonly database: Database,
    batchers: Batchers,
  ) {
    const insert = (group: Pending[]): Promise<void> => insertFiles(database, group.map(({ element }) => element)); // prettier-ignore
    this.files = batchers.create('files', insert, {
      ...WRITES,
      maxLength: MAX_STATEMENT,
      concurrency: database.dialect.concurrentWrites(MAX_RUNNING),
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ element }) => element.length,
    });
  }

  store(file: NewFile): Promise<void> {
    return this.files.add({ tenantId: file.tenantId, element: asElement(this.database.dialect, file) });
  }
}
