/** The styles of the page, and of the mail with the link to the page. Mail readers keep only the styles of elements. */
export const LOOK = {
  body: 'font:16px/1.5 system-ui,Arial,sans-serif;max-width:34em;margin:4em auto;padding:0 1em;color:#222',
  button: 'font:inherit;padding:.6em 1.6em;border:0;border-radius:4px;background:#0a6;color:#fff;cursor:pointer',
  name: 'overflow-wrap:anywhere',
} as const;
const STYLE = `body{${LOOK.body}}button{${LOOK.button}}b{${LOOK.name}}`;

/** A tenant's request to send from an inbox, with the values that the page of its link shows. */
export interface IdentityRequest {
  address: string;
  tenantName: string;
  /** True once the reader agreed. */
  isVerified: boolean;
}

export const QUESTION = 'May they send mail in your name?';

/** Headers with which the pages load nothing, and send their address to no other site. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** Returns a page that asks the reader to agree, or says that the reader has agreed. */
export function pageOf(request: IdentityRequest): string {
  return request.isVerified ? agreedPage(request) : requestPage(request);
}

/** The button posts to the page's own address. Opening the page changes nothing. */
function requestPage({ address, tenantName }: IdentityRequest): string {
  return page(
    QUESTION,
    `<p><b>${escapeHtml(tenantName)}</b> asks to send mail in the name of <b>${escapeHtml(address)}</b>.</p>
<form method="post"><button>Yes, they may</button></form>
<p>If you do not agree, close this page: then nothing changes.</p>`,
  );
}

/** Shown after the button, after a reload, and when the link is opened again. */
function agreedPage({ address, tenantName }: IdentityRequest): string {
  return page(
    'Thank you',
    `<p>It is done: <b>${escapeHtml(tenantName)}</b> can now send mail in the name of <b>${escapeHtml(address)}</b>. You can close this page.</p>`,
  );
}

export function refusalPage(message: string): string {
  return page('This does not work', `<p>${escapeHtml(message)}.</p>`);
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${title}</title><style>${STYLE}</style></head><body><h1>${title}</h1>
${body}
</body></html>
`;
}
