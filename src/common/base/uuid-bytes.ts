/** The 16 bytes of a UUID, for texts that must be short. */
export const bytesOfUuid = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** The UUID of 16 bytes. */
export const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
