import { escapeHtml, page } from '../link-pages/page-html.js';

/** Request of a tenant to send from a mailbox, as shown on the page. */
export interface IdentityRequest {
  address: string;
  tenantName: string;
  /** True once the owner agreed. */
  isVerified: boolean;
}

export const QUESTION = 'May they send mail in your name?';

/** Renders a page that asks for consent, or confirms it. */
export function pageOf(request: IdentityRequest): string {
  return request.isVerified ? agreedPage(request) : requestPage(request);
}

/** Renders the question. Its button posts to the URL of the page; opening the page changes nothing. */
function requestPage({ address, tenantName }: IdentityRequest): string {
  return page(
    QUESTION,
    `<p><b>${escapeHtml(tenantName)}</b> asks to send mail in the name of <b>${escapeHtml(address)}</b>.</p>
<form method="post"><button>Yes, they may</button></form>
<p>If you do not agree, close this page: then nothing changes.</p>`,
  );
}

/** Renders the confirmation, also shown when the link is reopened. */
function agreedPage({ address, tenantName }: IdentityRequest): string {
  return page(
    'Thank you',
    `<p>It is done: <b>${escapeHtml(tenantName)}</b> can now send mail in the name of <b>${escapeHtml(address)}</b>. You can close this page.</p>`,
  );
}
