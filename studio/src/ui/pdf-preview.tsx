import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ConnectionError } from '../../../clients/js/src/errors';
import { formatBytes } from './format';
import { ErrorNotice, Skeleton } from './states';

const LARGEST = 32 * 1024 * 1024;

interface PdfPreviewProps {
  address: string;
  version: string;
  name: string;
  size: number;
}

/**
 * Shows a PDF in the viewer of the browser, from memory: an address whose answer is an attachment would be downloaded. The type is
 * given here, so the bytes are a PDF or nothing.
 */
export function PdfPreview({ address, version, name, size }: PdfPreviewProps) {
  const hasViewer = navigator.pdfViewerEnabled;
  const isSmall = size <= LARGEST;
  const { data, error, refetch } = useQuery({
    queryKey: ['files', 'content', 'pdf', version],
    queryFn: ({ signal }) => readWhole(address, signal),
    enabled: hasViewer && isSmall,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const show = useCallback(
    (frame: HTMLIFrameElement | null) => {
      if (!frame || !data) return undefined;
      const made = URL.createObjectURL(data);
      frame.src = `${made}#navpanes=0&view=FitH`;
      return () => URL.revokeObjectURL(made);
    },
    [data],
  );
  if (error) return <ErrorNotice error={error} tried="load the document" onRetry={() => void refetch()} />;
  if (!hasViewer || !isSmall) {
    const why = hasViewer ? `No preview for documents over ${formatBytes(LARGEST)}.` : 'This browser can’t preview PDFs.';
    return <p className="preview none muted">{why} Open the file in a new tab.</p>;
  }
  if (!data) {
    return (
      <div className="preview pdf">
        <Skeleton lines={5} label="Loading document" />
      </div>
    );
  }
  // oxlint-disable-next-line react/iframe-missing-sandbox -- browsers show no PDF in a sandbox; the viewer is one of its own
  return <iframe className="preview pdf" ref={show} title={`Content of ${name}`} />;
}

/** @throws PlatformError */
async function readWhole(address: string, signal: AbortSignal): Promise<Blob> {
  try {
    const response = await fetch(address, { signal });
    if (!response.ok) throw new ConnectionError(`The server returned ${response.status}`);
    return new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ConnectionError ? error : new ConnectionError('The content isn’t reachable', { cause: error });
  }
}
