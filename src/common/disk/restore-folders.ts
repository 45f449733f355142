import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder in DATA_DIR into which a restore unpacks. Nothing else changes until the whole backup is verified. */
export const STAGING = 'restore-staging';
/** File that marks DATA_DIR while a restore moves the parts of a backup into place. A crash leaves it there. */
export const UNFINISHED = 'restore-unfinished';

/** Whether a restore was interrupted, so that DATA_DIR may have only a part of a backup. */
export const isHalfRestored = (dataDir: string): boolean => existsSync(join(dataDir, UNFINISHED));
