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

/** Memory bound for one block, above any real block. */
const MAX_LEAVES = 100_000;

/** Block whose leaves are being read. */
interface OpenBlock {
  line: BlockLine;
  /** Line number of the block. */
  at: number;
  hasEdits: boolean;
  /** True if its records and edits were removed. */
  isRemoved: boolean;
}

/** Verifies a bundle line by line, with at most one block in memory. Works offline, without a database or secret. */
export class BundleVerifier {
  /** Current line number. */
  private at = 0;
  private header: HeaderLine | undefined;
  private chain!: ChainVerifier;
  private open: OpenBlock | undefined;
  /** Last completely read block. */
  private last: BlockLine | undefined;
  private ended: EndLine | undefined;
  private readonly counts = { blocks: 0, records: 0, edits: 0 };
  private hidden = 0;
  private omissions = new Omissions(0);
  /** Given checkpoints by block number. */
  private readonly kept = new Map<number, Checkpoint[]>();

  constructor(private readonly trusted: Trusted) {}

  /** Verifies the next line. @throws InvalidBundle */
  readLine(text: string): void {
    this.at++;
    if (this.ended) throw this.fault('follows the end line');
    try {
      this.takeLine(this.parse(text));
    } catch (error) {
      if (!(error instanceof BlockFault)) throw error;
      // A fault of the leaves as a whole is found at the end of the block, but reported for its first line.
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

  /** Completes the verification. @throws InvalidBundle if the bundle is truncated */
  finish(): BundleReport {
    if (!this.header || !this.ended)
      throw new InvalidBundle(`after line ${this.at}: the bundle is truncated, the end line is missing; export it again`);
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
        'has another public key than the given one; if the key was changed, export a bundle that begins before the change',
      );
    }
    this.header = header;
    this.omissions = new Omissions(header.fromBlock);
    this.chain = new ChainVerifier({ number: header.fromBlock, publicKey: header.publicKey });
    for (const text of this.trusted.checkpoints) {
      const checkpoint = this.checkpoint(text, 'the given checkpoint');
      if (checkpoint.number < header.fromBlock - 1) {
        const wanted = `export a bundle with fromBlock of at most ${checkpoint.number + 1}`;
        throw this.fault(
          `begins with block ${header.fromBlock}, which cannot be linked to the checkpoint of block ${checkpoint.number}; ${wanted}`,
        );
      }
      this.kept.set(checkpoint.number, [...(this.kept.get(checkpoint.number) ?? []), checkpoint]);
    }
  }

  private checkpoint(text: string, what: string): Checkpoint {
    const spelled = text.split('.').map((part) => Buffer.from(part, 'base64url').toString('base64url'));
    if (spelled.join('.') !== text) throw this.fault(`${what} was changed: its encoding is not canonical`);
    let read: Checkpoint;
    try {
      read = readCheckpoint(text, this.header!.tenantId);
    } catch (error) {
      throw this.fault(`${what} is invalid: ${(error as Error).message}`);
    }
    if (blockHash(read) !== read.hash) throw this.fault(`${what} was changed: its hash does not match its members`);
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

  /** Verifies a key change as the only leaf of the open block. */
  private changeKey(line: KeyLine, header: HeaderLine): void {
    if (!isKeyChanged(header)) throw this.fault('changes the key, which requires a bundle of version 4');
    if (!this.isEmpty) throw this.fault('changes the key, which must be the only leaf of its block');
    this.chain.addKeyChange(line);
  }

  /** Verifies a retention horizon as the only leaf of the open block. */
  private horizon({ content }: HorizonLine): void {
    this.emptyBlock();
    this.omissions.seenHorizon(this.chain.addHorizon(content).upToBlock);
  }

  /** Accepts the placeholder for all leaves of the open block. */
  private removed(): void {
    const open = this.emptyBlock();
    open.isRemoved = true;
    this.omissions.withoutLeaves(open.line.number);
  }

  private emptyBlock(): OpenBlock {
    if (!this.open || !this.isEmpty) throw this.fault('must be the only line of its block');
    return this.open;
  }

  /** True until a leaf of the open block is read. */
  private get isEmpty(): boolean {
    return this.open !== undefined && !this.open.isRemoved && this.chain.leafCount === 0;
  }

  /** Checks that a trusted key is among the keys of the bundle. Key changes link the others to it. */
  private checkKeys(end: EndLine): void {
    const { publicKeys } = this.chain;
    if (publicKeys.length > 1 !== isKeyChanged(this.header!))
      throw this.fault('ends a bundle of version 4 without the key change that this version requires');
    const has = (key: string) => publicKeys.includes(key);
    if (!this.trusted.publicKeys.some(has)) throw this.fault('the given public key is not among the keys of the bundle');
    const ofEnd = end.checkpoint === null ? undefined : this.checkpoint(end.checkpoint, 'its checkpoint').publicKey;
    const isLast = ofEnd === undefined || ofEnd === publicKeys.at(-1);
    if (!isLast) throw this.fault('its checkpoint is not signed with the current key');
    const strange = [...this.kept.values()].flat().find(({ publicKey }) => !has(publicKey));
    if (!strange) return;
    throw this.fault(`the checkpoint of block ${strange.number} is signed with a key that the bundle does not contain`);
  }

  /** Compares a block with the given checkpoints of that number. */
  private compare(number: number, { hash, sealedAt }: { hash: string; sealedAt?: string }): void {
    for (const kept of this.kept.get(number) ?? []) {
      if (kept.hash !== hash || (sealedAt !== undefined && kept.sealedAt !== sealedAt)) {
        throw this.fault(`block ${number} does not match the checkpoint: the history up to it was replaced`);
      }
    }
  }

  private leaf(line: LeafLine, header: HeaderLine): void {
    const { open } = this;
    if (!open || open.isRemoved) throw this.fault(`is ${nameOf(line)}, outside a block`);
    if (this.chain.leafCount === open.line.leafCount) {
      throw this.fault(`${nameOf(line)} exceeds the leaf count of block ${open.line.number}: a leaf was inserted`);
    }
    if (line.kind === 'record' && open.hasEdits) throw this.fault(`${nameOf(line)} follows the edits of its block`);
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
      if (line[kind] !== this.counts[kind])
        throw this.fault(`states ${line[kind]} ${kind}, the bundle contains ${this.counts[kind]}`);
    }
    const { unexplained } = this.omissions;
    if (unexplained) throw this.fault(unexplained);
    const last = this.last?.number ?? fromBlock - 1;
    if ((line.checkpoint === null) !== last < 0) throw this.fault('must have a checkpoint if and only if there are blocks');
    if (line.checkpoint !== null) {
      const { number, hash, sealedAt } = this.checkpoint(line.checkpoint, 'its checkpoint');
      const fits = this.last ? this.last.hash === hash && this.last.sealedAt === sealedAt : number === last;
      if (!fits) throw this.fault(`has a checkpoint that does not match block ${last}, the last of the bundle`);
      if (!this.last) this.compare(number, { hash, sealedAt });
    }
    const beyond = [...this.kept.keys()].find((number) => number > last);
    if (beyond !== undefined) {
      const ends = last < 0 ? 'has no block' : `ends with block ${last}`;
      throw this.fault(`the bundle ${ends}, the checkpoint is of block ${beyond}: the log was truncated, or the bundle is older`);
    }
    this.ended = line;
  }

  private fault(what: string): InvalidBundle {
    return new InvalidBundle(`line ${this.at}: ${what}`);
  }
}

const isKeyChanged = ({ version }: HeaderLine): boolean => version === CHANGED_KEY_VERSION;
