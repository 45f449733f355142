import { escapeHtml, page } from '../link-pages/page-html.js';

/** A tenant's request to send from an inbox, with the values that the page of its link shows. */
export interface IdentityRequest {
  address: string;
  tenantName: string;
  /** True once the reader agreed. */
  isVerified: boolean;
}

export const QUESTION = 'May they send mail in your name?';

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
