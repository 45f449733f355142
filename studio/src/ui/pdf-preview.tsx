import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ConnectionError } from '../../../clients/js/src/errors';
import { formatBytes } from './format';
import { ErrorNotice, Skeleton } from './states';

const LARGEST = 32 * 1024 * 1024;

/** Shows a PDF from a URL, unless it is too large. */
export function PdfPreview({ address, version, name, size }: { address: string; version: string; name: string; size: number }) {
  const isShown = navigator.pdfViewerEnabled && size <= LARGEST;
  const { data, error, refetch } = useQuery({
    queryKey: ['content of files', 'pdf', version],
    queryFn: ({ signal }) => readPdf(address, signal),
    enabled: isShown,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (error) return <ErrorNotice error={error} tried="load the document" onRetry={() => void refetch()} />;
  if (size > LARGEST) {
    return (
      <p className="preview none muted">No preview for documents over {formatBytes(LARGEST)}. Open the file in a new tab.</p>
    );
  }
  if (data || !isShown) return <PdfFrame content={data} name={name} />;
  return (
    <div className="preview pdf">
      <Skeleton lines={5} label="Loading document" />
    </div>
  );
}

/**
 * Shows a PDF in the viewer of the browser, from memory: a URL with an attachment would be downloaded. The type is set here, so the
 * content is a PDF or nothing.
 */
export function PdfFrame({ content, name }: { content: Blob | undefined; name: string }) {
  const show = useCallback(
    (frame: HTMLIFrameElement | null) => {
      if (!frame || !content) return undefined;
      const made = URL.createObjectURL(content);
      frame.src = `${made}#navpanes=0&view=FitH`;
      return () => URL.revokeObjectURL(made);
    },
    [content],
  );
  if (!navigator.pdfViewerEnabled) return <p className="preview none muted">This browser can’t preview PDFs.</p>;
  // oxlint-disable-next-line react/iframe-missing-sandbox -- browsers show no PDF in a sandbox; the viewer is one of its own
  return <iframe className="preview pdf" ref={show} title={`Content of ${name}`} />;
}

/** @throws ConnectionError */
export async function readPdf(address: string, signal?: AbortSignal): Promise<Blob> {
  try {
    const response = await fetch(address, signal && { signal });
    if (!response.ok) throw new ConnectionError(`The server returned ${response.status}`);
    return new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ConnectionError ? error : new ConnectionError('The content isn’t reachable', { cause: error });
  }
}
