/** From the least to the gravest. */
export const BOUNCE_KINDS = ['DELAYED', 'SOFT', 'HARD', 'COMPLAINT'] as const;
export type BounceKind = (typeof BOUNCE_KINDS)[number];

/** What a report says of one recipient. */
export interface ReportedRecipient {
  /** The addresses that the report has for it; none where it says none. */
  addresses: string[];
  kind: BounceKind;
  /** Such as 5.1.1 (RFC 3463); null where the report has none. */
  code: string | null;
  /** What the mail server of the recipient said, as it is. */
  diagnostic: string | null;
}

/** The recipients of a report. */
export interface ReadRecipients {
  /** Recipients that the mail has not reached, or that complain. */
  recipients: ReportedRecipient[];
  /** Addresses, in lower case, that the mail has reached. */
  reached: string[];
}

/** Why a mail is no report. */
export interface NoReport {
  noReport: string;
}

/** A report with at least one recipient and all its text, in which a return path can be found; or why a mail is none. */
export type Report = (ReadRecipients & { text: string }) | NoReport;

/** How many recipients of one report are read. */
export const MAX_RECIPIENTS = 100;

/** Why a report that a mail was delivered is no report of a bounce. */
export const DELIVERED = 'says that the email was delivered';
