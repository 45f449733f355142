const TAG = /<[a-z][^>]*>/gi;
const SOURCE = /\s(?:src|srcset|background|poster)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
/** Sources that the frame loads from this server. */
const PUBLIC_FILES = '/file-management/files/';
const IN_STYLE = /url\(\s*(?:&quot;|["'])?([^"')\s]+)/gi;

/**
 * Returns the hosts of images in html, each once. It is matched as text: a parser would report every style and handler, which the policy
 * of this page forbids.
 */
export function foreignImageHosts(html: string): string[] {
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
