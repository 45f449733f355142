import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { GroupedWrites } from '../../../common/database/grouped-writes.js';
import { isDatabaseUnavailable } from '../../../common/errors/database-faults.js';
import { asElement, insertFiles, type NewFile } from './file-insert.queries.js';

/** How many characters one statement stores. */
const MAX_STATEMENT = 4 * 1024 * 1024;
/** PostgreSQL commits several statements at once; SQLite has one writer. */
const MAX_RUNNING = 4;

interface Pending {
  tenantId: string;
  element: string;
}

/** Stores new files; those of several callers share a statement and its commit. */
@Injectable()
export class FileWriterService {
  private readonly files: GroupedWrites<Pending>;

  constructor(database: Database) {
    this.files = new GroupedWrites(
      (group) =>
        insertFiles(
          database,
          group.map(({ element }) => element),
        ),
      {
        maxLength: MAX_STATEMENT,
        maxRunning: database.dialect.concurrentWrites(MAX_RUNNING),
        isCommonFault: isDatabaseUnavailable,
        tenantOf: ({ tenantId }) => tenantId,
        lengthOf: ({ element }) => element.length,
      },
    );
  }

  store(file: NewFile): Promise<void> {
    return this.files.add({ tenantId: file.tenantId, element: asElement(file) });
  }
}
