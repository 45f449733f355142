/** Converts a name to lower case with underscores: textBody to text_body, ETag to etag, checksumSha256 to checksum_sha256. */
export const snake = (name) =>
  name
    .replace(/^ETag/, 'Etag')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
