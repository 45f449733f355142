import { InfoCircledIcon } from '@radix-ui/react-icons';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';

const SMALLEST = 120;
const TALLEST = 20_000;

/**
 * Shows foreign HTML, such as a mail or a rendered template. It runs in a frame with an origin of its own, whose policy allows no script,
 * request or form. A note names the hosts of images that it leaves out.
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
  const hosts = useMemo(() => foreignImageHosts(html), [html]);
  return (
    <>
      {hosts.length > 0 && (
        <div className="notice">
          <InfoCircledIcon aria-hidden />
          <span className="break">
            Images from <strong>{listOf(hosts)}</strong> are blocked to protect your privacy.
          </span>
        </div>
      )}
      <iframe
        ref={frame}
        className="frame"
        title={title}
        src="/studio/frame.html"
        sandbox="allow-scripts"
        style={{ height, ...(width && { width, maxWidth: '100%' }) }}
      />
    </>
  );
}

const SHOWN_HOSTS = 3;

const listOf = (hosts: readonly string[]): string =>
  hosts.length <= SHOWN_HOSTS
    ? hosts.join(', ')
    : `${hosts.slice(0, SHOWN_HOSTS).join(', ')} and ${hosts.length - SHOWN_HOSTS} more`;

const TAG = /<[a-z][^>]*>/gi;
const SOURCE = /\s(?:src|srcset|background|poster)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
/** Sources that the frame loads from this server. */
const PUBLIC_FILES = '/file-management/files/';
const IN_STYLE = /url\(\s*(?:&quot;|["'])?([^"')\s]+)/gi;

/**
 * Returns the hosts of images in html, each once. It is matched as text: a parser would report every style and handler, which the policy
 * of this page forbids.
 */
function foreignImageHosts(html: string): string[] {
  const sources = [...html.matchAll(TAG)]
    .flatMap(([tag]) => [...tag.matchAll(SOURCE)])
    .flatMap(([, value = '']) => value.replaceAll(/^["']|["']$/g, '').split(','));
  const inStyles = [...html.matchAll(IN_STYLE)].map(([, address = '']) => address);
  return [...new Set([...sources, ...inStyles].map(hostOf).filter((host) => host !== undefined))].sort();
}

function hostOf(text: string): string | undefined {
  const [address = ''] = text.trim().split(/\s+/);
  if (!/^(https?:)?\/\//i.test(address)) return undefined;
  try {
    const { host, pathname } = new URL(address, location.href);
    return host === location.host && pathname.startsWith(PUBLIC_FILES) ? undefined : host;
  } catch {
    return undefined;
  }
}
