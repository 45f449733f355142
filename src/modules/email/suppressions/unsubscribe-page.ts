import { escapeHtml, page } from '../link-pages/page-html.js';

/** Data of the page of an unsubscribe link. */
export interface Subscription {
  address: string;
  list: string;
  tenantName: string;
  isEnded: boolean;
}

/** Action of the page's button. Mail programs send a form without it (RFC 8058). */
export const RESUBSCRIBE = 'resubscribe';

/** Renders a page with the state of the subscription, and a button to change it. */
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
