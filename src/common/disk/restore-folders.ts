import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder in DATA_DIR into which a restore unpacks. Until all of it is checked nothing else is touched. */
export const STAGING = 'restore-staging';
/** File in DATA_DIR while the parts of a backup take their places, which a crash can break off. */
export const UNFINISHED = 'restore-unfinished';

/** Whether DATA_DIR may have only a part of a backup. */
export const isHalfRestored = (dataDir: string): boolean => existsSync(join(dataDir, UNFINISHED));
