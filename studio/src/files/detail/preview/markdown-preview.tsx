import { marked } from 'marked';
import { useMemo } from 'react';
import { HtmlFrame } from '../../../ui/html-frame';

const STYLE = `<style>
  body { margin: 16px; font: 14px/1.6 system-ui, sans-serif; color: #1d2129; background: #fff; }
  pre, code { font: 13px/1.5 ui-monospace, monospace; background: #f3f4f6; }
  pre { padding: 8px; overflow: auto; }
  table { border-collapse: collapse; }
  th, td { padding: 4px 8px; border: 1px solid #d5d9e0; text-align: start; }
  blockquote { margin-inline: 0; padding-inline-start: 12px; border-inline-start: 3px solid #d5d9e0; }
</style>`;

/** Shows Markdown as its readers see it. HTML in it stays in the frame, where no script of it runs and nothing is loaded. */
export function MarkdownPreview({ text, name }: { text: string; name: string }) {
  const html = useMemo(() => STYLE + marked.parse(text, { async: false, gfm: true }), [text]);
  return <HtmlFrame html={html} title={`Content of ${name}`} />;
}
