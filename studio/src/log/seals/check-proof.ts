import type { LogProof } from '../../../../clients/js/src/generated/log';
import { isSigned, readCheckpoint, servedKeys } from './checkpoint';
import { blockHash, LEAF, rootFrom, sha256, toBase64Url } from './hashes';
import { fits, type Subject } from './subject';

export type Proof = Omit<LogProof, '__typename'>;

export interface CheckedStep {
  what: string;
  /** Undefined if this browser, or an erasure, leaves nothing to compare. */
  isRight: boolean | undefined;
  about: string;
}

type Content = Readonly<Record<string, unknown>>;

/** Recomputes in this browser that the displayed record is in its sealed block. Trusts only the public key. */
export async function checkProof(proof: Proof, subject: Subject): Promise<CheckedStep[]> {
  const content = proof.content === null ? undefined : (JSON.parse(proof.content) as Content);
  const { tenantId, publicKey, hash } = readCheckpoint(proof.checkpoint!);
  const leaf = proof.content === null ? undefined : toBase64Url(await sha256(LEAF, proof.content));
  const root = await rootFrom(proof.leafHash!, { index: proof.leafIndex!, count: proof.leafCount!, path: proof.path! });
  const block = await blockHash({
    leafCount: proof.leafCount!,
    number: proof.block!,
    previousHash: proof.previousBlockHash!,
    root: proof.root!,
    tenantId,
  });
  const keys = await servedKeys().catch(() => undefined);
  return [
    {
      what: 'Content',
      isRight: content !== undefined && content['tenantId'] === tenantId && fits(content, subject.lasting),
      about: content ? 'Content shown matches the sealed content' : 'The content is damaged',
    },
    {
      what: 'Hash',
      isRight: leaf === proof.leafHash,
      about: 'Content matches the leaf hash',
    },
    await personalStep(proof, content, subject),
    {
      what: 'Path',
      isRight: root === proof.root,
      about: `Leaf ${proof.leafIndex! + 1} of ${proof.leafCount} is in the block’s root`,
    },
    {
      what: 'Block',
      isRight: block === proof.blockHash && block === hash,
      about: `Root matches the hash of block ${proof.block}`,
    },
    {
      what: 'Signature',
      isRight: await isSigned(proof.checkpoint!),
      about: 'Block hash is signed by the checkpoint’s key',
    },
    { what: 'Key', isRight: keys?.includes(publicKey), about: 'Key is published by the server' },
  ];
}

async function personalStep(
  { personal, salt }: Proof,
  content: Content | undefined,
  { personal: shown }: Subject,
): Promise<CheckedStep> {
  const what = 'Values';
  if (!shown || personal === null || salt === null) {
    return { what, isRight: undefined, about: 'Values, author and notes were erased. Their hash remains' };
  }
  const about = 'Values, author and notes match the sealed ones';
  const hash = toBase64Url(await sha256(salt, personal));
  const isRight = hash === content?.['personalHash'] && fits(unfolded(JSON.parse(personal) as Content), shown);
  return { what, isRight, about };
}

/** The details of a record are sealed as a text. */
function unfolded(sealed: Content): Content {
  const { details } = sealed;
  return typeof details === 'string' ? { ...sealed, ...(JSON.parse(details) as Content) } : sealed;
}
