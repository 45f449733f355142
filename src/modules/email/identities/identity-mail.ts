import { escapeHtml, LOOK } from '../link-pages/page-html.js';
import { type IdentityRequest, QUESTION } from './identity-page.js';

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
