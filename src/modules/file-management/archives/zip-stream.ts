import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** File to put into an archive. */
export interface ZipEntry {
  name: string;
  sizeBytes: number;
  modifiedAt: Date;
  open: () => Promise<Readable>;
}

/** ZIP stream with its size in bytes. */
export interface ZipStream {
  content: Readable;
  sizeBytes: number;
}

/**
 * Creates an archive without compression, so that its size is known before the first byte. Opens each file after the previous one was
 * read. The stream fails with the first unreadable file; destroying it closes the open file. Calls `turn` before each entry and after
 * the last, so the caller can pause the work.
 */
export async function zipStream(entries: readonly ZipEntry[], turn: () => Promise<void>): Promise<ZipStream> {
  const zip = new ZipFile();
  const content = new PassThrough();
  let current: Readable | undefined;
  const fail = (error: Error) => void content.destroy(error);
  content.once('close', () => current?.destroy());
  zip.on('error', fail);
  zip.outputStream.on('error', fail);
  try {
    for (const { name, sizeBytes, modifiedAt, open } of entries) {
      await turn();
      const options = { compress: false, size: sizeBytes, mtime: modifiedAt };
      zip.addReadStreamLazy(name, options, (opened) => {
        open().then((file) => {
          current = file;
          if (content.destroyed) file.destroy();
          opened(null, file.on('error', fail));
        }, fail);
      });
    }
    await turn();
  } catch (error) {
    content.destroy(); // closes the first file, which yazl opens at once
    throw error;
  }
  zip.outputStream.pipe(content);
  // The types of yazl omit the callback's argument.
  const sizeBytes = await new Promise<number>((resolve) =>
    zip.end({ forceZip64Format: false, comment: '' }, resolve as () => void),
  );
  return { content, sizeBytes };
}
