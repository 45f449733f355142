import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { ConnectionError, errorOfAnswer } from '../../../../../clients/js/src/errors';
import { lazyPart } from '../../../api/load-part';
import { formatBytes } from '../../../ui/format';
import { Chip } from '../../../ui/page';
import { ErrorNotice, Skeleton } from '../../../ui/states';
import styles from '../../files.module.css';

const LARGEST = 256 * 1024;
/** Special views of a text, by type or file extension. */
const VIEWS = [
  {
    word: 'Table',
    types: /^(text|application)\/(csv|tab-separated-values)\b/i,
    endings: /\.(csv|tsv)$/i,
    View: lazyPart(async () => (await import('./table-preview')).TablePreview),
  },
  {
    word: 'Rendered',
    types: /^text\/(x-)?markdown\b/i,
    endings: /\.(md|markdown)$/i,
    View: lazyPart(async () => (await import('./markdown-preview')).MarkdownPreview),
  },
];
/** Longer text fills its container. */
const LONG = 2_000;

interface TextPreviewProps {
  address: string;
  version: string;
  name: string;
  size: number;
  contentType: string;
}

/** Shows the start of a text, values as a table, and Markdown rendered. Complete JSON is formatted. */
export function TextPreview({ address, version, name, size, contentType }: TextPreviewProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['content of files', 'text', version],
    queryFn: ({ signal }) => readBeginning(address, signal),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  const [isSource, setSource] = useState(false);
  const isCut = size > LARGEST;
  const text = useMemo(() => (isCut || !/json\b/.test(contentType) ? data : laidOut(data)), [data, isCut, contentType]);
  if (error) return <ErrorNotice error={error} tried="load the content" onRetry={() => void refetch()} />;
  if (text === undefined) {
    return (
      <div className={size > LONG ? `preview ${styles.text} ${styles.long}` : `preview ${styles.text}`}>
        <Skeleton lines={5} label="Loading content" />
      </div>
    );
  }
  const view = VIEWS.find(({ types, endings }) => types.test(contentType) || endings.test(name));
  return (
    <figure className="stack tight">
      {view && (
        <div className="row" role="group" aria-label="View">
          <Chip isActive={!isSource} onClick={() => setSource(false)}>
            {view.word}
          </Chip>
          <Chip isActive={isSource} onClick={() => setSource(true)}>
            Source
          </Chip>
        </div>
      )}
      {view && !isSource ? (
        <Suspense fallback={<Skeleton lines={5} label="Loading content" />}>
          <view.View text={text} name={name} isCut={isCut} />
        </Suspense>
      ) : (
        <pre className={`preview ${styles.text} code-block`} tabIndex={0} aria-label={`Content of ${name}`}>
          {text}
        </pre>
      )}
      {isCut && <figcaption className="small muted">{`The first ${formatBytes(LARGEST)} of ${formatBytes(size)}`}</figcaption>}
    </figure>
  );
}

/** @throws PlatformError */
async function readBeginning(address: string, signal: AbortSignal): Promise<string> {
  let response: Response;
  try {
    response = await fetch(address, { headers: { range: `bytes=0-${LARGEST - 1}` }, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new ConnectionError('The content isn’t reachable', { cause: error });
  }
  if (!response.ok) {
    throw errorOfAnswer({ status: response.status, header: (name) => response.headers.get(name) }, await response.text());
  }
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (const reader = response.body!.getReader(); bytes < LARGEST;) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes >= LARGEST) await reader.cancel();
  }
  return text;
}

function laidOut(text: string | undefined): string | undefined {
  try {
    return text && JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
