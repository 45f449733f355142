import type { LogBlockModel } from '../../../generated/sqlite/models.js';

export type Block = LogBlockModel;

/** A block without the one member that is long. */
export type BlockHead = Omit<Block, 'leafIds'>;
