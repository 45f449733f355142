export { startPlatform, type Platform, type PlatformOptions } from './platform.js';
export {
  type Fallback,
  type InboxState,
  type NewTenant,
  type NewToken,
  PlatformError,
  type Push,
  type PushesWanted,
  type Service,
  type Tenant,
} from './tenant.js';
export type { Mail, MailAddress, MailAttachment, MailsWanted, NextMailWanted } from './mails.js';
export type { Bounce, BounceOrder } from './bounces.js';
export type { NextEventWanted, PlatformEvent } from './events.js';
export type { Clock, Duration } from './clock.js';
export type { Faults, Part } from './faults.js';
