import { blockHash, idsHashOf, isSealed, type LeafIds, NO_BLOCK } from '../seals/block.js';
import { type BundleReport, InvalidBundle, type Trusted } from './bundle-report.js';
import { type Checkpoint, readCheckpoint } from '../seals/checkpoint.js';
import { leafHashOf } from '../leaves/hashing.js';
import { readHorizon } from '../removal/horizon.js';
import { faultOfContent, nameOf } from './content-check.js';
import { Omissions } from './omissions.js';
import { rootOf } from '../leaves/merkle.js';
import { isAccepted, keyLeafHash } from '../keys/key-change.js';
import { type SealVerifier, verifierOf } from '../keys/seal-signer.js';
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

/** More than any block has, to bound the memory for one block. */
const MAX_LEAVES = 100_000;

interface OpenBlock {
  line: BlockLine;
  at: number;
  ids: LeafIds;
  hashes: Buffer[];
  /** The key that the block hands the log over to. */
  newKey?: string;
  /** Whether its records and edits were removed. */
  isRemoved?: boolean;
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
  private omissions = new Omissions(0);
  private readonly kept = new Map<number, Checkpoint[]>();
  /** The keys so far, each bound to the next by both. The last one signs the next block. */
  private readonly keys: { publicKey: string; verifier: SealVerifier }[] = [];

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
    if (line.kind === 'key') return this.changeKey(line, this.header);
    if (line.kind === 'horizon') return this.horizon(line, this.header);
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
      last: this.previous,
      checkpoints: [...this.kept.keys()].sort((a, b) => a - b),
      publicKeys: this.keys.map(({ publicKey }) => publicKey),
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
    this.addKey(header.publicKey);
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

  private openBlock(line: BlockLine, { tenantId, fromBlock }: HeaderLine): void {
    this.closeBlock();
    const number = this.previous ? this.previous.number + 1 : fromBlock;
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
    if (!isSealed(head, this.keys.at(-1)!.verifier)) throw this.fault(`block ${number} is not what was signed`);
    this.compare(number, line);
    this.open = { line, at: this.at, ids: { edits: [], logs: [] }, hashes: [] };
  }

  /** Takes the only leaf of the open block, which hands the log over to another key. */
  private changeKey({ oldKey, newKey, newSignature }: KeyLine, header: HeaderLine): void {
    const { open } = this;
    if (!isKeyChanged(header)) throw this.fault('changes the key, which only a bundle of version 4 does');
    if (!open || open.hashes.length > 0) throw this.fault('changes the key, which takes a block of its own');
    if (oldKey !== this.keys.at(-1)!.publicKey) throw this.fault('hands the log over from another key than the one in force');
    if (!isAccepted(open.line.hash, { oldKey, newKey, newSignature })) throw this.fault('is not signed by the new key');
    open.hashes.push(Buffer.from(keyLeafHash(header.tenantId, { oldKey, newKey }), 'base64url'));
    open.newKey = newKey;
  }

  /** Takes the only leaf of the open block, which says how far the log was removed. */
  private horizon({ content }: HorizonLine, { tenantId }: HeaderLine): void {
    const open = this.emptyBlock();
    const horizon = readHorizon(content);
    if (horizon?.tenantId !== tenantId || horizon.upToBlock >= open.line.number) throw this.fault('is not a horizon of this log');
    open.hashes.push(Buffer.from(leafHashOf(content), 'base64url'));
    this.omissions.seenHorizon(horizon.upToBlock);
  }

  /** Stands for all leaves of the open block. */
  private removed(): void {
    const open = this.emptyBlock();
    open.isRemoved = true;
    this.omissions.withoutLeaves(open.line.number);
  }

  private emptyBlock(): OpenBlock {
    const { open } = this;
    if (!open || open.hashes.length > 0 || open.isRemoved) throw this.fault('takes a block of its own');
    return open;
  }

  private addKey(publicKey: string): void {
    this.keys.push({ publicKey, verifier: verifierOf(publicKey) });
  }

  /** A key of the bundle is trusted if it is given, and so are those that it is bound to. */
  private checkKeys(end: EndLine): void {
    const isChanged = this.keys.length > 1;
    if (isChanged !== isKeyChanged(this.header!)) throw this.fault('ends a bundle of version 4, in which the key never changes');
    const has = (key: string) => this.keys.some(({ publicKey }) => publicKey === key);
    if (!this.trusted.publicKeys.some(has)) throw this.fault('no key of the bundle is the given public key');
    const ofEnd = end.checkpoint === null ? undefined : this.checkpoint(end.checkpoint, 'its checkpoint').publicKey;
    const isLast = ofEnd === undefined || ofEnd === this.keys.at(-1)!.publicKey;
    if (!isLast) throw this.fault('its checkpoint is signed with another key than the one in force');
    const strange = [...this.kept.values()].flat().find(({ publicKey }) => !has(publicKey));
    if (!strange) return;
    throw this.fault(
      `the checkpoint of block ${strange.number} is signed with another key, which no block of the bundle hands over`,
    );
  }

  /** Compares a block with its checkpoints. */
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
    if (open.hashes.length === open.line.leafCount) {
      throw this.fault(
        `${nameOf(line)} is one more than block ${open.line.number} has leaves: it was slipped in, or another removed`,
      );
    }
    if (line.kind === 'record' && open.ids.edits.length > 0)
      throw this.fault(`${nameOf(line)} comes after the edits of its block`);
    this.checkContent(line, header);
    if (line.kind === 'record') open.ids.logs.push(line.id);
    else open.ids.edits.push([line.id, line.logId]);
    open.hashes.push(Buffer.from(line.leafHash, 'base64url'));
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
    const { line, at, ids, hashes, newKey, isRemoved } = this.open;
    const { number, leafCount } = line;
    const fault = (what: string) => new InvalidBundle(`line ${at}: ${what}`);
    if (!isRemoved) {
      if (hashes.length !== leafCount) throw fault(`block ${number} has ${leafCount} leaves, ${hashes.length} are given`);
      if (rootOf(hashes).toString('base64url') !== line.root)
        throw fault(`the records and edits of block ${number} do not have its root`);
      const idsHash = idsHashOf(JSON.stringify({ edits: ids.edits, logs: ids.logs }));
      if (idsHash !== line.idsHash) throw fault(`the ids of the records and edits of block ${number} do not have its idsHash`);
    }
    if (newKey !== undefined) this.addKey(newKey);
    this.counts.blocks++;
    this.previous = { number, hash: line.hash, sealedAt: line.sealedAt };
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

const isKeyChanged = ({ version }: HeaderLine): boolean => version === CHANGED_KEY_VERSION;
