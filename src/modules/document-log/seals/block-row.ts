import type { LogBlockModel } from '../../../generated/sqlite/models.js';
import { type Dialect, POSTGRESQL, SQLITE } from '../../../common/database/sql/dialect.js';
import { raw } from '../../../common/database/sql/sql.js';

export type Block = LogBlockModel;

/** Block without leafIds, its only large member. */
export type BlockHead = Omit<Block, 'leafIds'>;

type Cell = string | number | null;
export type BlockCells = Cell[];

const INTEGERS = ['number', 'toSeq', 'toEditSeq', 'leafCount'];
const SEQS = ['toSeq', 'toEditSeq'];
const TEXTS = ['tenantId', 'idsHash', 'root', 'previousHash', 'hash', 'signature', 'keyChange', 'horizon'];

/** Placeholders for invalid values, which SQLite permits. No signed block contains them. */
const NO_NUMBER = -1;
const NO_SEQ = -(2n ** 63n) + 1n;
const NO_TEXT = '';

function columnsOf(dialect: Dialect) {
  const all = [
    ...INTEGERS.map((name) => ofKind(dialect, 'integer', name)),
    ofKind(dialect, 'integer', 'sealedAt', dialect.milliseconds('b."sealedAt"')),
    ...[...TEXTS, 'leafIds'].map((name) => ofKind(dialect, 'text', name)),
  ];
  return { head: raw(all.slice(0, -1).join()), whole: raw(all.join()) };
}

/** Selects a column, or NULL for a value of another type, which SQLite permits. */
function ofKind(dialect: Dialect, kind: string, name: string, column = `b."${name}"`): string {
  const exact = SEQS.includes(name) ? dialect.exactly(column) : column;
  return dialect.pick({ sqlite: `CASE typeof(b."${name}") WHEN '${kind}' THEN ${exact} END`, postgresql: exact });
}

/** Columns of a block in the order of `asHead`. `whole` appends leafIds for `asBlock`. */
export const BLOCK_COLUMNS = { sqlite: columnsOf(SQLITE), postgresql: columnsOf(POSTGRESQL) };

export function asHead([number, toSeq, toEditSeq, leafCount, sealedAt, ...texts]: BlockCells): BlockHead {
  const [tenantId, idsHash, root, previousHash, hash, signature] = texts.map((text) => String(text ?? NO_TEXT));
  const [keyChange, horizon] = texts.slice(TEXTS.indexOf('keyChange'));
  return {
    number: Number(number ?? NO_NUMBER),
    toSeq: BigInt(toSeq ?? NO_SEQ),
    toEditSeq: BigInt(toEditSeq ?? NO_SEQ),
    leafCount: Number(leafCount ?? NO_NUMBER),
    sealedAt: new Date(Number(sealedAt ?? NaN)),
    tenantId: tenantId!,
    idsHash: idsHash!,
    root: root!,
    previousHash: previousHash!,
    hash: hash!,
    signature: signature!,
    keyChange: typeof keyChange === 'string' ? keyChange : null,
    horizon: typeof horizon === 'string' ? horizon : null,
  };
}

export const asBlock = (cells: BlockCells): Block => ({ ...asHead(cells), leafIds: String(cells.at(-1) ?? NO_TEXT) });
