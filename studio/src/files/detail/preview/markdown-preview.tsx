import { useQuery } from '@tanstack/react-query';
import { HtmlFrame } from '../../../ui/html-frame';
import { Skeleton } from '../../../ui/states';
import styles from '../../files.module.css';

const STYLE = `<style>
  body { margin: 16px; font: 14px/1.6 system-ui, sans-serif; color: #1d2129; background: #fff; }
  pre, code { font: 13px/1.5 ui-monospace, monospace; background: #f3f4f6; }
  pre { padding: 8px; overflow: auto; }
  table { border-collapse: collapse; }
  th, td { padding: 4px 8px; border: 1px solid #d5d9e0; text-align: start; }
  blockquote { margin-inline: 0; padding-inline-start: 12px; border-inline-start: 3px solid #d5d9e0; }
</style>`;

/** Time limit of parsing. */
const MOST_MS = 5_000;

/**
 * Shows rendered Markdown. Its HTML stays in the frame, where no script runs and nothing is loaded. A text that cannot be parsed in time
 * is shown as it is.
 */
export function MarkdownPreview({ text, name }: { text: string; name: string }) {
  const { data: html, isPending } = useQuery({
    queryKey: ['content of files', 'markdown', text],
    queryFn: ({ signal }) => parsed(text, signal).catch(() => null),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (isPending) return <Skeleton lines={5} label="Loading content" />;
  if (typeof html === 'string') return <HtmlFrame html={STYLE + html} title={`Content of ${name}`} />;
  return (
    <>
      <p className="muted small">This Markdown is too complex to render.</p>
      <pre className={`preview ${styles.text} code-block`} tabIndex={0} aria-label={`Content of ${name}`}>
        {text}
      </pre>
    </>
  );
}

/** Returns HTML; null if the text overflows the parser. @throws on a timeout */
function parsed(text: string, signal: AbortSignal): Promise<string | null> {
  const worker = new Worker(new URL('markdown-worker.ts', import.meta.url), { type: 'module' });
  const html = new Promise<string | null>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<string | null>) => resolve(data));
    for (const ending of [signal, AbortSignal.timeout(MOST_MS)])
      ending.addEventListener('abort', () => reject(ending.reason as Error));
    worker.addEventListener('error', () => reject(new Error('not parsed')));
  });
  worker.postMessage(text);
  return html.finally(() => worker.terminate());
}
