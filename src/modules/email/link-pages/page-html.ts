// Room: HTML of the pages that links in mails open.
/** Styles of link pages, and of mails with such links. Mail programs preserve only inline styles. */
export const LOOK = {
  body: 'font:16px/1.5 system-ui,Arial,sans-serif;max-width:34em;margin:4em auto;padding:0 1em;color:#222',
  button: 'font:inherit;padding:.6em 1.6em;border:0;border-radius:4px;background:#0a6;color:#fff;cursor:pointer',
  name: 'overflow-wrap:anywhere',
} as const;
const STYLE = `body{${LOOK.body}}button{${LOOK.button}}b{${LOOK.name}}`;

/** Headers that prevent the pages from loading content, and from leaking their URL to other sites. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

export function refusalPage(message: string): string {
  return page('This does not work', `<p>${escapeHtml(message)}.</p>`);
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${title}</title><style>${STYLE}</style></head><body><h1>${title}</h1>
${body}
</body></html>
`;
}
