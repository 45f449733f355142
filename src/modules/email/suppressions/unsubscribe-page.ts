import { escapeHtml, page } from '../link-pages/page-html.js';

/** What the page of an unsubscribe link shows. */
export interface Subscription {
  address: string;
  list: string;
  tenantName: string;
  isEnded: boolean;
}

/** What the button of the page asks for. Mail programs send another form, without it (RFC 8058). */
export const RESUBSCRIBE = 'resubscribe';

/** Returns a page that says whether the mails of a list are sent, with a button that changes it. */
export function subscriptionPage(subscription: Subscription): string {
  return subscription.isEnded ? endedPage(subscription) : sentPage(subscription);
}

function sentPage({ address, list, tenantName }: Subscription): string {
  return page(
    'Unsubscribe',
    `<p><b>${escapeHtml(tenantName)}</b> sends mails of the list <b>${escapeHtml(list)}</b> to <b>${escapeHtml(address)}</b>.</p>
<form method="post"><button>Unsubscribe</button></form>`,
  );
}

function endedPage({ address, list, tenantName }: Subscription): string {
  return page(
    'You are unsubscribed',
    `<p><b>${escapeHtml(tenantName)}</b> sends no more mails of the list <b>${escapeHtml(list)}</b> to <b>${escapeHtml(address)}</b>.</p>
<form method="post"><button name="action" value="${RESUBSCRIBE}">Subscribe again</button></form>`,
  );
}
