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
import type { ServiceName } from '../api/scope';
import { roomOf } from './load-room';

export interface Place {
  /** Path below /studio. */
  path: string;
  word: string;
  /** The letter after G. */
  letter: string;
  Icon: ComponentType<{ 'aria-hidden'?: boolean }>;
  /** Without any entry of it, a key has nothing to see here. */
  service?: ServiceName;
  Room: ComponentType;
}

/** The pages, in the order of the rail. Each is loaded when it is first opened. */
export const PLACES: readonly Place[] = [
  {
    path: '/',
    word: 'Overview',
    letter: 'o',
    Icon: DashboardIcon,
    Room: roomOf(async () => ({ default: (await import('../overview/overview-room')).OverviewRoom })),
  },
  {
    path: '/files',
    word: 'Files',
    letter: 'f',
    Icon: FileIcon,
    service: 'file-management',
    Room: roomOf(async () => ({ default: (await import('../files/files-room')).FilesRoom })),
  },
  {
    path: '/templates',
    word: 'Templates',
    letter: 't',
    Icon: ReaderIcon,
    service: 'document-rendering',
    Room: roomOf(async () => ({ default: (await import('../templates/templates-room')).TemplatesRoom })),
  },
  {
    path: '/push',
    word: 'Push',
    letter: 'p',
    Icon: PaperPlaneIcon,
    service: 'websockets-manager',
    Room: roomOf(async () => ({ default: (await import('../push/push-room')).PushRoom })),
  },
  {
    path: '/log',
    word: 'Log',
    letter: 'l',
    Icon: ActivityLogIcon,
    service: 'document-log',
    Room: roomOf(async () => ({ default: (await import('../log/log-room')).LogRoom })),
  },
  {
    path: '/email',
    word: 'Email',
    letter: 'e',
    Icon: EnvelopeClosedIcon,
    service: 'email',
    Room: roomOf(async () => ({ default: (await import('../email/email-room')).EmailRoom })),
  },
  {
    path: '/webhooks',
    word: 'Webhooks',
    letter: 'w',
    Icon: Link2Icon,
    Room: roomOf(async () => ({ default: (await import('../webhooks/webhooks-room')).WebhooksRoom })),
  },
  {
    path: '/keys',
    word: 'Keys',
    letter: 'k',
    Icon: IdCardIcon,
    service: 'admin',
    Room: roomOf(async () => ({ default: (await import('../keys/keys-room')).KeysRoom })),
  },
];
