import type { LogBlockModel } from '../../../generated/sqlite/models.js';
import { exactly } from '../log-seq.queries.js';

export type Block = LogBlockModel;

/** A block without the one member that is long. */
export type BlockHead = Omit<Block, 'leafIds'>;

type Cell = string | number | null;
export type BlockCells = Cell[];

const INTEGERS = ['number', 'toSeq', 'toEditSeq', 'leafCount'];
const SEQS = ['toSeq', 'toEditSeq'];
const TEXTS = ['tenantId', 'idsHash', 'root', 'previousHash', 'hash', 'signature'];

/** What was never signed, in the place of what is no number or no text, as SQLite lets stand there. */
const NO_NUMBER = -1;
const NO_SEQ = -(2n ** 63n) + 1n;
const NO_TEXT = '';

/** The columns of a block in the order in which `asHead` takes them, and with leafIds at the end for `asBlock`. */
export function blockColumns(isPostgres: boolean): { head: string; whole: string } {
  const integers = INTEGERS.map((name) => (isPostgres ? `b."${name}"` : ofKind('integer', name)));
  const time = isPostgres ? '(extract(epoch FROM b."sealedAt") * 1000)::float8' : ofKind('integer', 'sealedAt');
  const texts = [...TEXTS, 'leafIds'].map((name) => (isPostgres ? `b."${name}"` : ofKind('text', name)));
  const all = [...integers, time, ...texts];
  return { head: all.slice(0, -1).join(), whole: all.join() };
}

function ofKind(kind: string, name: string): string {
  const column = `b."${name}"`;
  return `CASE typeof(${column}) WHEN '${kind}' THEN ${SEQS.includes(name) ? exactly(false, column) : column} END`;
}

export function asHead([number, toSeq, toEditSeq, leafCount, sealedAt, ...texts]: BlockCells): BlockHead {
  const [tenantId, idsHash, root, previousHash, hash, signature] = texts.map((text) => String(text ?? NO_TEXT));
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
  };
}

export const asBlock = (cells: BlockCells): Block => ({ ...asHead(cells), leafIds: String(cells.at(-1) ?? NO_TEXT) });
