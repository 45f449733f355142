import { escapeHtml } from './identity-page.js';
import type { IdentityRequest } from './identities.service.js';

/** What goes to an inbox that a tenant wants to send from. */
export function validationMail({ address, tenantName }: IdentityRequest, link: string) {
  const asks = `“${tenantName}” asks to send mail in the name of ${address}.`;
  const does = 'If you agree, open the link and press the button there. It is good for 24 hours.';
  const ignore = 'If you do not, do nothing: without it nobody can send in your name here.';
  return {
    subject: `May “${tenantName.slice(0, 100).toWellFormed()}” send mail as ${address}?`,
    text: `${asks}\n\n${does}\n\n${link}\n\n${ignore}\n`,
    html:
      `<p>${escapeHtml(asks)}</p><p>${does}</p><p><a href="${escapeHtml(link)}">Look at the request</a></p>` +
      `<p style="color:#666">${ignore}</p>`,
  };
}
