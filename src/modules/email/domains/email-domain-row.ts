import type { EmailDomainModel } from '../../../generated/sqlite/models.js';

export type EmailDomainRow = EmailDomainModel;
