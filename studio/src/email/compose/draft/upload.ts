import type { Api } from '../../../api/client';
import type { Attached } from './draft';

/** Stores a file for an attachment. @throws Error with a readable reason */
export async function upload(api: Api, file: File, signal: AbortSignal, onProgress: (share: number) => void): Promise<Attached> {
  const input = { name: file.name, ...(file.type && { contentType: file.type }) };
  const { id, uploadUrl } = await api.files.createFile({ input }, { id: true, uploadUrl: true }, { signal });
  if (!uploadUrl) throw new Error('The server returned no upload URL.');
  await put(uploadUrl, file, signal, onProgress);
  return { fileId: id, name: file.name, contentType: file.type || null, size: file.size };
}

/** Sends the content by XMLHttpRequest, which reports progress. The policy of the page allows only the server. */
function put(url: string, file: File, signal: AbortSignal, onProgress: (share: number) => void): Promise<void> {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () =>
      request.status < 300
        ? resolve()
        : reject(new Error(`The server returned ${request.status}: ${reasonIn(request.responseText)}`)),
    );
    request.addEventListener('error', () => reject(new Error('Connection lost.')));
    request.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')));
    signal.addEventListener('abort', () => request.abort());
    request.open('PUT', url);
    request.send(file);
  });
}

const LONGEST_REASON = 300;
const reasonIn = (text: string) =>
  text
    .replaceAll(/<[^>]*>/g, ' ')
    .trim()
    .slice(0, LONGEST_REASON) || 'no reason given';
