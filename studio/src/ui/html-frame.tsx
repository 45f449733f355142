import { useEffect, useEffectEvent, useRef, useState } from 'react';

const SMALLEST = 120;
const TALLEST = 20_000;

/**
 * Shows foreign HTML, such as a mail or a rendered template. It runs in a frame with an origin of its own, whose policy allows no script,
 * request or form.
 */
export function HtmlFrame({ html, title, width }: { html: string; title: string; width?: number }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(240);
  const send = useEffectEvent(() => frame.current?.contentWindow?.postMessage({ html }, '*'));
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<{ ready?: boolean; height?: number }>) => {
      const target = frame.current?.contentWindow;
      if (!target || source !== target) return;
      if (data.ready) send();
      if (typeof data.height === 'number') setHeight(Math.max(SMALLEST, Math.min(TALLEST, data.height)));
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  useEffect(() => frame.current?.contentWindow?.postMessage({ html }, '*'), [html]);
  return (
    <iframe
      ref={frame}
      className="frame"
      title={title}
      src="/studio/frame.html"
      sandbox="allow-scripts"
      style={{ height, ...(width && { width, maxWidth: '100%' }) }}
    />
  );
}
