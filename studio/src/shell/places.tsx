import {
  ActivityLogIcon,
  DashboardIcon,
  EnvelopeClosedIcon,
  FileIcon,
  IdCardIcon,
  Link2Icon,
  PaperPlaneIcon,
  ReaderIcon,
} from '@radix-ui/react-icons';
import type { ComponentType } from 'react';
import { lazyPart } from '../api/load-part';
import type { ServiceName } from '../api/scope';

export interface Place {
  /** Path below /studio. */
  path: string;
  word: string;
  /** Letter after G. */
  letter: string;
  Icon: ComponentType<{ 'aria-hidden'?: boolean }>;
  /** Scope entries of which the key needs at least one. */
  service?: ServiceName;
  Room: ComponentType;
}

/** Pages, in the order of the rail. Each is loaded when first opened. */
export const PLACES: readonly Place[] = [
  {
    path: '/',
    word: 'Overview',
    letter: 'o',
    Icon: DashboardIcon,
    Room: lazyPart(async () => (await import('../overview/overview-room')).OverviewRoom),
  },
  {
    path: '/files',
    word: 'Files',
    letter: 'f',
    Icon: FileIcon,
    service: 'file-management',
    Room: lazyPart(async () => (await import('../files/files-room')).FilesRoom),
  },
  {
    path: '/templates',
    word: 'Templates',
    letter: 't',
    Icon: ReaderIcon,
    service: 'document-rendering',
    Room: lazyPart(async () => (await import('../templates/templates-room')).TemplatesRoom),
  },
  {
    path: '/push',
    word: 'Push',
    letter: 'p',
    Icon: PaperPlaneIcon,
    service: 'websockets-manager',
    Room: lazyPart(async () => (await import('../push/push-room')).PushRoom),
  },
  {
    path: '/log',
    word: 'Log',
    letter: 'l',
    Icon: ActivityLogIcon,
    service: 'document-log',
    Room: lazyPart(async () => (await import('../log/log-room')).LogRoom),
  },
  {
    path: '/email',
    word: 'Email',
    letter: 'e',
    Icon: EnvelopeClosedIcon,
    service: 'email',
    Room: lazyPart(async () => (await import('../email/email-room')).EmailRoom),
  },
  {
    path: '/webhooks',
    word: 'Webhooks',
    letter: 'w',
    Icon: Link2Icon,
    Room: lazyPart(async () => (await import('../webhooks/webhooks-room')).WebhooksRoom),
  },
  {
    path: '/tenants',
    word: 'Tenants',
    letter: 'k',
    Icon: IdCardIcon,
    service: 'admin',
    Room: lazyPart(async () => (await import('../tenants/tenants-room')).TenantsRoom),
  },
];
