/** Hands a file to the person, as a download of the browser. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Opens an address that answers with a file. In a tab of its own, so that a refusal of the server does not take the place of the page. */
export function openDownload(address: string): void {
  const link = document.createElement('a');
  Object.assign(link, { href: address, target: '_blank', rel: 'noreferrer' });
  link.click();
}
