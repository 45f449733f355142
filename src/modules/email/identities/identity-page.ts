import { escapeHtml, LOOK, page } from '../link-pages/page-html.js';

/** Request of a tenant to send from a mailbox, as shown on the page. */
export interface IdentityRequest {
  address: string;
  tenantName: string;
  /** True once the owner agreed. */
  isVerified: boolean;
}

const QUESTION = 'May they send mail in your name?';

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

/** Renders the verification mail, in the style of the page behind its link. */
export function validationMail({ address, tenantName }: Omit<IdentityRequest, 'isVerified'>, link: string) {
  const request = 'If you agree, open the link and press the button there. It is good for 24 hours.';
  const ignore = 'If you do not, do nothing: without it nobody can send in your name here.';
  const name = (text: string): string => `<b style="${LOOK.name}">${escapeHtml(text)}</b>`;
  return {
    subject: `May “${tenantName.slice(0, 100).toWellFormed()}” send mail as ${address}?`,
    text: `“${tenantName}” asks to send mail in the name of ${address}.\n\n${request}\n\n${link}\n\n${ignore}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${QUESTION}</title></head>
<body><div style="${LOOK.body}"><h1>${QUESTION}</h1>
<p>${name(tenantName)} asks to send mail in the name of ${name(address)}.</p>
<p>${request}</p>
<p><a href="${escapeHtml(link)}" style="${LOOK.button};display:inline-block;text-decoration:none">Look at the request</a></p>
<p>${ignore}</p></div></body></html>
`,
  };
}
