import type { Source } from './webhook';

/** Names of services and their events. Keys are those of the API. */
export const SOURCES: Readonly<Record<Source, { word: string; events: Readonly<Record<string, string>> }>> = {
  'file-management': {
    word: 'Files',
    events: {
      FILE_DONE: 'A file’s content is complete.',
      FILE_FAILED: 'An upload was rejected, or its content was lost.',
      FILE_EXPIRED: 'A file reached its expiry date and was removed.',
      FILE_DELETED: 'An application deleted a file.',
    },
  },
  'document-rendering': {
    word: 'Templates',
    events: {
      TEMPLATE_CREATED: 'A template was created.',
      TEMPLATE_UPDATED: 'A template changed.',
      TEMPLATE_DELETED: 'A template was deleted.',
      STYLESHEET_CREATED: 'A stylesheet was created.',
      STYLESHEET_UPDATED: 'A stylesheet changed.',
      STYLESHEET_DELETED: 'A stylesheet was deleted.',
      PARTIAL_CREATED: 'A partial was created.',
      PARTIAL_UPDATED: 'A partial changed.',
      PARTIAL_DELETED: 'A partial was deleted.',
    },
  },
  'websockets-manager': {
    word: 'Push',
    events: {
      MESSAGE_DELIVERED: 'A recipient acknowledged a message.',
      MESSAGE_CANCELLED: 'A message was not delivered.',
      MESSAGE_FELL_BACK: 'A message was not acknowledged in time, and its fallback email was sent or failed.',
      RECIPIENT_ONLINE: 'A recipient opened its first connection.',
      RECIPIENT_OFFLINE: 'A recipient’s last connection closed.',
    },
  },
  'document-log': {
    word: 'Log',
    events: {
      LOG_CREATED: 'A record was added.',
      LOG_EDITED: 'A comment or custom field of a record changed.',
      LOGS_REMOVED: 'Records were removed at the end of their retention period.',
    },
  },
  email: {
    word: 'Email',
    events: {
      MESSAGE_SENT: 'The mail server accepted an email for at least one recipient.',
      MESSAGE_FAILED: 'An email was not delivered to any recipient.',
      RECIPIENT_DELAYED: 'An email is delayed and being retried.',
      RECIPIENT_BOUNCED: 'An email bounced.',
      RECIPIENT_COMPLAINED: 'A recipient reported an email as spam.',
      RECIPIENT_UNSUBSCRIBED: 'A recipient unsubscribed from a list.',
      DOMAIN_VERIFIED: 'The DNS records of a domain were found.',
      DOMAIN_FAILED: 'DNS records of a domain have been missing for 3 days.',
    },
  },
};

export const ALL_SOURCES = Object.keys(SOURCES) as Source[];

/** Type of an event in requests, such as `file.done`. */
export const typeOf = (event: string): string => event.toLowerCase().replace('_', '.');
