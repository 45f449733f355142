import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file as it stands in an archive. */
export interface ZipEntry {
  name: string;
  sizeBytes: number;
  modifiedAt: Date;
  open: () => Promise<Readable>;
}

/** A ZIP archive as it is sent, and its size. */
export interface ZipStream {
  content: Readable;
  sizeBytes: number;
}

/**
 * Makes an archive whose files are stored as they are, so that its size is known before the first byte. Each file is opened once the file before it was
 * read. The stream fails with the first file that cannot be read, and closes the file that is open when it is destroyed. Awaits `turn` before each
 * entry, and after the last.
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
  // Its types leave out the argument of the callback.
  const sizeBytes = await new Promise<number>((resolve) =>
    zip.end({ forceZip64Format: false, comment: '' }, resolve as () => void),
  );
  return { content, sizeBytes };
}
