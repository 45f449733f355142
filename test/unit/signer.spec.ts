import { Signing } from '../../src/common/signing/signer.js';

const [A, B, C] = [1, 2, 3].map((byte) => new Signing(Buffer.alloc(32, byte))) as [Signing, Signing, Signing];
const AB = new Signing(Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const BA = new Signing(Buffer.alloc(32, 2), Buffer.alloc(32, 1));

describe('a signature', () => {
  it('of a node with one secret has no id, and one of a node with several begins with that of the first', () => {
    expect(A.for('use').sign('text')).toHaveLength(32);
    expect(BA.for('use').sign('text')).toMatch(new RegExp(`^${B.currentId}[\\w-]{32}$`));
    expect(BA.ids).toEqual([B.currentId, A.currentId]);
  });

  it('is accepted by every node that has its secret, and names it', () => {
    for (const [signing, id] of [[A, A.currentId], [AB, A.currentId], [B, B.currentId], [BA, B.currentId]] as const) {
      const signature = signing.for('use').sign('text');
      for (const node of [AB, BA]) expect(node.for('use').signedWith(signature, 'text')).toBe(id);
      expect(A.for('use').verify(signature, 'text')).toBe(id === A.currentId);
      expect(C.for('use').verify(signature, 'text')).toBe(false);
    }
  }); // prettier-ignore

  it('is refused for another text or use, in another spelling, with another id and without its id', () => {
    const signature = AB.for('use').sign('text');
    const [id, tag] = [signature.slice(0, 4), signature.slice(4)];
    expect(AB.for('use').verify(signature, 'text')).toBe(true);
    expect(AB.for('use').verify(signature, 'other')).toBe(false);
    expect(AB.for('other').verify(signature, 'text')).toBe(false);
    for (const changed of [
      tag,
      B.currentId + tag,
      id,
      `${signature}=`,
      `${id}.${tag}`,
      ` ${signature}`,
      '',
      `${id}${'A'.repeat(32)}`,
    ]) {
      expect([changed, AB.for('use').verify(changed, 'text')]).toEqual([changed, false]);
    }
  });
});
