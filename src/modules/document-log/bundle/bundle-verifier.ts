import { blockHash, idsHashOf, isSealed, type LeafIds, NO_BLOCK } from '../seals/block.js';
import { type Checkpoint, readCheckpoint } from '../seals/checkpoint.js';
import { sha256Text } from '../leaves/hashing.js';
import { rootOf } from '../leaves/merkle.js';
import { isSignedBy } from '../seals/seal-signer.js';
import { type BlockLine, bundleLine, type BundleLine, type EndLine, type HeaderLine, type LeafLine } from './bundle-lines.js';

/** More than any block has, to bound the memory for one block. */
const MAX_LEAVES = 100_000;

/** The first mistake in a bundle. */
export class InvalidBundle extends Error {}

/** Facts that the reader of a bundle has from elsewhere, to check it against. */
export interface Trusted {
  publicKey: string;
  /** Each a latestSeal that was kept. */
  checkpoints: string[];
}

export interface BundleReport {
  tenantId: string;
  fromBlock: number;
  blocks: number;
  records: number;
  edits: number;
  /** Records and edits whose content is not in the bundle. */
  hidden: number;
  /** The last block of the bundle, and when it was sealed. */
  last: { number: number; sealedAt: string } | undefined;
  /** The numbers of the blocks of the given checkpoints. */
  checkpoints: number[];
}

interface OpenBlock {
  line: BlockLine;
  at: number;
  ids: LeafIds;
  hashes: Buffer[];
}

/** Checks a bundle line by line, and holds no more than one block. Needs no database, secret or server. */
export class BundleVerifier {
  private at = 0;
  private header: HeaderLine | undefined;
  private open: OpenBlock | undefined;
  /** The block before the open one, if the bundle has it. */
  private previous: { number: number; hash: string; sealedAt: string } | undefined;
  private ended: EndLine | undefined;
  private readonly counts = { blocks: 0, records: 0, edits: 0 };
  private hidden = 0;
  private readonly kept = new Map<number, Checkpoint[]>();

  constructor(private readonly trusted: Trusted) {}

  /** @throws InvalidBundle */
  take(text: string): void {
    this.at++;
    if (this.ended) throw this.fault('comes after the end');
    const line = this.parse(text);
    if (!this.header) {
      if (line.kind !== 'header') throw this.fault('must be the header');
      return this.begin(line);
    }
    if (line.kind === 'header') throw this.fault('is a second header');
    if (line.kind === 'block') return this.openBlock(line, this.header);
    if (line.kind === 'end') return this.end(line, this.header);
    this.leaf(line, this.header);
  }

  /** @throws InvalidBundle when the bundle was cut off */
  finish(): BundleReport {
    if (!this.header || !this.ended) throw new InvalidBundle(`after line ${this.at}: the bundle was cut off, it has no end line`);
    return {
      tenantId: this.header.tenantId,
      fromBlock: this.header.fromBlock,
      ...this.counts,
      hidden: this.hidden,
      last: this.previous,
      checkpoints: [...this.kept.keys()].sort((a, b) => a - b),
    };
  }

  private parse(text: string): BundleLine {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw this.fault('is not JSON');
    }
    const parsed = bundleLine.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw this.fault(`is not a line of a bundle: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`);
  }

  private begin(header: HeaderLine): void {
    if (header.publicKey !== this.trusted.publicKey) throw this.fault('names another public key than the given one');
    this.header = header;
    for (const text of this.trusted.checkpoints) {
      const checkpoint = this.checkpoint(text, 'the given checkpoint');
      if (checkpoint.number < header.fromBlock - 1) {
        const wanted = `ask for one with fromBlock up to ${checkpoint.number + 1}`;
        throw this.fault(
          `begins with block ${header.fromBlock}, which cannot be linked to the checkpoint of block ${checkpoint.number}; ${wanted}`,
        );
      }
      this.kept.set(checkpoint.number, [...(this.kept.get(checkpoint.number) ?? []), checkpoint]);
    }
  }

  private checkpoint(text: string, what: string): Checkpoint {
    const spelled = text.split('.').map((part) => Buffer.from(part, 'base64url').toString('base64url'));
    if (spelled.join('.') !== text) throw this.fault(`${what} was changed: it is not spelled as it was made`);
    let read: Checkpoint;
    try {
      read = readCheckpoint(text, this.header!.tenantId);
    } catch (error) {
      throw this.fault(`${what} does not fit: ${(error as Error).message}`);
    }
    if (read.publicKey !== this.trusted.publicKey) throw this.fault(`${what} is signed with another key than the given one`);
    if (blockHash(read) !== read.hash) throw this.fault(`${what} has a hash that is not of what it says`);
    return read;
  }

  private openBlock(line: BlockLine, { tenantId, fromBlock }: HeaderLine): void {
    this.closeBlock();
    const number = this.previous ? this.previous.number + 1 : fromBlock;
    const { publicKey } = this.trusted;
    if (line.number !== number) throw this.fault(`is block ${line.number}, where block ${number} must be`);
    if (line.leafCount > MAX_LEAVES) throw this.fault(`has ${line.leafCount} leaves, more than any block`);
    const first = number === 0 ? NO_BLOCK : undefined;
    const previousHash = this.previous?.hash ?? first ?? line.previousHash;
    if (line.previousHash !== previousHash) throw this.fault(`block ${number} does not follow the block before it`);
    if (!this.previous && number > 0) this.compare(number - 1, { hash: line.previousHash });
    const head = {
      ...line,
      tenantId,
      toSeq: BigInt(line.toSeq),
      toEditSeq: BigInt(line.toEditSeq),
      sealedAt: new Date(line.sealedAt),
    };
    const signer = { verify: (text: string, signature: string) => isSignedBy(publicKey, text, signature) };
    if (!isSealed(head, signer)) throw this.fault(`block ${number} is not what was signed`);
    this.compare(number, line);
    this.open = { line, at: this.at, ids: { edits: [], logs: [] }, hashes: [] };
  }

  /** Compares a block with its checkpoints. */
  private compare(number: number, { hash, sealedAt }: { hash: string; sealedAt?: string }): void {
    for (const kept of this.kept.get(number) ?? []) {
      if (kept.hash !== hash || (sealedAt !== undefined && kept.sealedAt !== sealedAt)) {
        throw this.fault(`block ${number} is not that of the checkpoint: the history up to it was replaced`);
      }
    }
  }

  private leaf(line: LeafLine, { tenantId }: HeaderLine): void {
    const { open } = this;
    if (!open) throw this.fault(`is ${nameOf(line)}, of which no block was begun`);
    if (open.hashes.length === open.line.leafCount) {
      throw this.fault(
        `${nameOf(line)} is one more than block ${open.line.number} has leaves: it was slipped in, or another removed`,
      );
    }
    if (line.kind === 'record' && open.ids.edits.length > 0)
      throw this.fault(`${nameOf(line)} comes after the edits of its block`);
    if (line.content !== undefined) this.checkContent(line, line.content, tenantId);
    else this.hidden++;
    if (line.kind === 'record') open.ids.logs.push(line.id);
    else open.ids.edits.push([line.id, line.logId]);
    open.hashes.push(Buffer.from(line.leafHash, 'base64url'));
    this.counts[line.kind === 'record' ? 'records' : 'edits']++;
  }

  private checkContent(line: LeafLine, content: string, tenantId: string): void {
    if (sha256Text(`\0${content}`) !== line.leafHash)
      throw this.fault(`the content of ${nameOf(line)} does not have its leafHash`);
    const given = JSON.parse(content) as Record<string, unknown>;
    const [type, logId] = line.kind === 'record' ? ['log', undefined] : ['edit', line.logId];
    if (given.type !== type || given.id !== line.id || given.tenantId !== tenantId || given.logId !== logId) {
      throw this.fault(`the content of ${nameOf(line)} is of another one`);
    }
  }

  private closeBlock(): void {
    if (!this.open) return;
    const { line, at, ids, hashes } = this.open;
    const { number, leafCount } = line;
    const fault = (what: string) => new InvalidBundle(`line ${at}: ${what}`);
    if (hashes.length !== leafCount) throw fault(`block ${number} has ${leafCount} leaves, ${hashes.length} are given`);
    if (rootOf(hashes).toString('base64url') !== line.root)
      throw fault(`the records and edits of block ${number} do not have its root`);
    const idsHash = idsHashOf(JSON.stringify({ edits: ids.edits, logs: ids.logs }));
    if (idsHash !== line.idsHash) throw fault(`the ids of the records and edits of block ${number} do not have its idsHash`);
    this.counts.blocks++;
    this.previous = { number, hash: line.hash, sealedAt: line.sealedAt };
    this.open = undefined;
  }

  private end(line: EndLine, { fromBlock }: HeaderLine): void {
    this.closeBlock();
    for (const kind of ['blocks', 'records', 'edits'] as const) {
      if (line[kind] !== this.counts[kind]) throw this.fault(`counts ${line[kind]} ${kind}, ${this.counts[kind]} are given`);
    }
    const last = this.previous?.number ?? fromBlock - 1;
    if ((line.checkpoint === null) !== last < 0) throw this.fault('must have a checkpoint if, and only if, there are blocks');
    if (line.checkpoint !== null) {
      const { number, hash, sealedAt } = this.checkpoint(line.checkpoint, 'its checkpoint');
      const fits = this.previous ? this.previous.hash === hash && this.previous.sealedAt === sealedAt : number === last;
      if (!fits) throw this.fault(`has a checkpoint that is not of block ${last}, with which the bundle ends`);
      if (!this.previous) this.compare(number, { hash, sealedAt });
    }
    const beyond = [...this.kept.keys()].find((number) => number > last);
    if (beyond !== undefined) {
      const ends = last < 0 ? 'has no block' : `ends with block ${last}`;
      throw this.fault(`the bundle ${ends}, the checkpoint is of block ${beyond}: the log was cut, or the bundle is older`);
    }
    this.ended = line;
  }

  private fault(what: string): InvalidBundle {
    return new InvalidBundle(`line ${this.at}: ${what}`);
  }
}

const nameOf = ({ kind, id }: LeafLine): string => `${kind} ${id}`;
