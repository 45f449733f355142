import { blockHash } from '../seals/block.js';
import { type Checkpoint, readCheckpoint } from '../seals/checkpoint.js';
import { BlockFault, ChainVerifier } from './chain-verifier.js';
import { type BundleReport, InvalidBundle, ofLeaves, type Trusted, wordsOf } from './bundle-report.js';
import {
  type BlockLine,
  bundleLine,
  type BundleLine,
  CHANGED_KEY_VERSION,
  type EndLine,
  type HeaderLine,
  type HorizonLine,
  type KeyLine,
  type LeafLine,
} from './bundle-lines.js';
import { faultOfContent, nameOf } from './record-check.js';
import { Omissions } from './omissions.js';

/** More than any block has, to bound the memory for one block. */
const MAX_LEAVES = 100_000;

/** The block whose leaves are being read. */
interface OpenBlock {
  line: BlockLine;
  /** The number of its line. */
  at: number;
  hasEdits: boolean;
  /** Whether its records and edits were removed. */
  isRemoved: boolean;
}

/** Verifies a bundle line by line, and holds no more than one block. Needs no database, secret or server. */
export class BundleVerifier {
  /** The number of the present line. */
  private at = 0;
  private header: HeaderLine | undefined;
  private chain!: ChainVerifier;
  private open: OpenBlock | undefined;
  /** The last block of which all leaves were read. */
  private last: BlockLine | undefined;
  private ended: EndLine | undefined;
  private readonly counts = { blocks: 0, records: 0, edits: 0 };
  private hidden = 0;
  private omissions = new Omissions(0);
  /** The given checkpoints, by the number of their block. */
  private readonly kept = new Map<number, Checkpoint[]>();

  constructor(private readonly trusted: Trusted) {}

  /** @throws InvalidBundle */
  take(text: string): void {
    this.at++;
    if (this.ended) throw this.fault('comes after the end');
    try {
      this.takeLine(this.parse(text));
    } catch (error) {
      if (!(error instanceof BlockFault)) throw error;
      // A fault of all leaves together shows only at the end of the block; the line that begins the block is named.
      throw new InvalidBundle(`line ${ofLeaves(error) ? this.open!.at : this.at}: ${wordsOf(error)}`);
    }
  }

  private takeLine(line: BundleLine): void {
    if (!this.header) {
      if (line.kind !== 'header') throw this.fault('must be the header');
      return this.begin(line);
    }
    if (line.kind === 'header') throw this.fault('is a second header');
    if (line.kind === 'block') return this.openBlock(line, this.header);
    if (line.kind === 'end') return this.end(line, this.header);
    if (line.kind === 'key') return this.changeKey(line, this.header);
    if (line.kind === 'horizon') return this.horizon(line);
    if (line.kind === 'removed') return this.removed();
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
      erasedRecords: this.omissions.erasedRecords,
      removedBlocks: this.omissions.removedBlocks,
      last: this.last && { number: this.last.number, sealedAt: this.last.sealedAt },
      checkpoints: [...this.kept.keys()].sort((a, b) => a - b),
      publicKeys: this.chain.publicKeys,
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
    const isTrusted = this.trusted.publicKeys.includes(header.publicKey);
    if (!isKeyChanged(header) && !isTrusted) {
      throw this.fault(
        'names another public key than the given one; if the key was changed, ask for a bundle that begins before the change',
      );
    }
    this.header = header;
    this.omissions = new Omissions(header.fromBlock);
    this.chain = new ChainVerifier({ number: header.fromBlock, publicKey: header.publicKey });
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
    if (blockHash(read) !== read.hash) throw this.fault(`${what} has a hash that is not of what it says`);
    return read;
  }

  private openBlock(line: BlockLine, { tenantId }: HeaderLine): void {
    this.closeBlock();
    const { number, leafCount, previousHash } = line;
    if (leafCount > MAX_LEAVES) throw this.fault(`has ${leafCount} leaves, more than any block`);
    const seqs = { toSeq: BigInt(line.toSeq), toEditSeq: BigInt(line.toEditSeq) };
    this.chain.begin({ ...line, ...seqs, tenantId, sealedAt: new Date(line.sealedAt) });
    if (!this.last && number > 0) this.compare(number - 1, { hash: previousHash });
    this.compare(number, line);
    this.open = { line, at: this.at, hasEdits: false, isRemoved: false };
  }

  /** Takes the only leaf of the open block, which hands the log over to another key. */
  private changeKey(line: KeyLine, header: HeaderLine): void {
    if (!isKeyChanged(header)) throw this.fault('changes the key, which only a bundle of version 4 does');
    if (!this.isEmpty) throw this.fault('changes the key, which takes a block of its own');
    this.chain.addKeyChange(line);
  }

  /** Takes the only leaf of the open block, which says how far the log was removed. */
  private horizon({ content }: HorizonLine): void {
    this.emptyBlock();
    this.omissions.seenHorizon(this.chain.addHorizon(content).upToBlock);
  }

  /** Takes the line that stands for all leaves of the open block. */
  private removed(): void {
    const open = this.emptyBlock();
    open.isRemoved = true;
    this.omissions.withoutLeaves(open.line.number);
  }

  private emptyBlock(): OpenBlock {
    if (!this.open || !this.isEmpty) throw this.fault('takes a block of its own');
    return this.open;
  }

  /** Whether no line about a leaf of the open block was read yet. */
  private get isEmpty(): boolean {
    return this.open !== undefined && !this.open.isRemoved && this.chain.leafCount === 0;
  }

  /** Checks that a given key is among the keys of the bundle. Changes of the key link the others to it. */
  private checkKeys(end: EndLine): void {
    const { publicKeys } = this.chain;
    if (publicKeys.length > 1 !== isKeyChanged(this.header!))
      throw this.fault('ends a bundle of version 4, in which the key never changes');
    const has = (key: string) => publicKeys.includes(key);
    if (!this.trusted.publicKeys.some(has)) throw this.fault('no key of the bundle is the given public key');
    const ofEnd = end.checkpoint === null ? undefined : this.checkpoint(end.checkpoint, 'its checkpoint').publicKey;
    const isLast = ofEnd === undefined || ofEnd === publicKeys.at(-1);
    if (!isLast) throw this.fault('its checkpoint is signed with another key than the one in force');
    const strange = [...this.kept.values()].flat().find(({ publicKey }) => !has(publicKey));
    if (!strange) return;
    throw this.fault(
      `the checkpoint of block ${strange.number} is signed with another key, which no block of the bundle hands over`,
    );
  }

  /** Compares a block with the given checkpoints of its number. */
  private compare(number: number, { hash, sealedAt }: { hash: string; sealedAt?: string }): void {
    for (const kept of this.kept.get(number) ?? []) {
      if (kept.hash !== hash || (sealedAt !== undefined && kept.sealedAt !== sealedAt)) {
        throw this.fault(`block ${number} is not that of the checkpoint: the history up to it was replaced`);
      }
    }
  }

  private leaf(line: LeafLine, header: HeaderLine): void {
    const { open } = this;
    if (!open || open.isRemoved) throw this.fault(`is ${nameOf(line)}, of which no block was begun`);
    if (this.chain.leafCount === open.line.leafCount) {
      throw this.fault(
        `${nameOf(line)} is one more than block ${open.line.number} has leaves: it was slipped in, or another removed`,
      );
    }
    if (line.kind === 'record' && open.hasEdits) throw this.fault(`${nameOf(line)} comes after the edits of its block`);
    this.checkContent(line, header);
    if (line.kind === 'record') this.chain.addRecord(line.id, line.leafHash);
    else this.chain.addEdit(line.id, line.logId, line.leafHash);
    open.hasEdits = line.kind === 'edit';
    this.counts[line.kind === 'record' ? 'records' : 'edits']++;
  }

  private checkContent(line: LeafLine, { tenantId }: HeaderLine): void {
    const { content, erased } = line;
    if (erased) this.omissions.withoutValues(line.kind, line.kind === 'record' ? line.id : line.logId);
    const fault = content === undefined ? undefined : faultOfContent(line, content, tenantId);
    if (fault) throw this.fault(fault);
    if (content === undefined) this.hidden++;
    else if (line.kind === 'edit') this.omissions.seen(JSON.parse(content) as Record<string, unknown>);
  }

  private closeBlock(): void {
    if (!this.open) return;
    if (this.open.isRemoved) this.chain.endWithoutLeaves();
    else this.chain.end();
    this.counts.blocks++;
    this.last = this.open.line;
    this.open = undefined;
  }

  private end(line: EndLine, { fromBlock }: HeaderLine): void {
    this.closeBlock();
    this.checkKeys(line);
    for (const kind of ['blocks', 'records', 'edits'] as const) {
      if (line[kind] !== this.counts[kind]) throw this.fault(`counts ${line[kind]} ${kind}, ${this.counts[kind]} are given`);
    }
    const { unexplained } = this.omissions;
    if (unexplained) throw this.fault(unexplained);
    const last = this.last?.number ?? fromBlock - 1;
    if ((line.checkpoint === null) !== last < 0) throw this.fault('must have a checkpoint if, and only if, there are blocks');
    if (line.checkpoint !== null) {
      const { number, hash, sealedAt } = this.checkpoint(line.checkpoint, 'its checkpoint');
      const fits = this.last ? this.last.hash === hash && this.last.sealedAt === sealedAt : number === last;
      if (!fits) throw this.fault(`has a checkpoint that is not of block ${last}, with which the bundle ends`);
      if (!this.last) this.compare(number, { hash, sealedAt });
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

const isKeyChanged = ({ version }: HeaderLine): boolean => version === CHANGED_KEY_VERSION;
