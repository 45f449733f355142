/** Kinds of bounces, from the least to the most severe. */
export const BOUNCE_KINDS = ['DELAYED', 'SOFT', 'HARD', 'COMPLAINT'] as const;
export type BounceKind = (typeof BOUNCE_KINDS)[number];

/** Reported failure of one recipient. */
export interface ReportedRecipient {
  /** Addresses of the recipient in the report, if any. */
  addresses: string[];
  kind: BounceKind;
  /** Enhanced code (RFC 3463), such as 5.1.1, or null. */
  code: string | null;
  /** Unmodified reply of the recipient's mail server. */
  diagnostic: string | null;
}

/** Recipients of a report. */
export interface ReadRecipients {
  /** Recipients not reached, or complaining. */
  recipients: ReportedRecipient[];
  /** Lowercase addresses reached. */
  reached: string[];
}

/** Reason a mail is not a report. */
export interface NoReport {
  noReport: string;
}

/** Report with at least one recipient and its text, which may contain a return path; or the reason a mail is not one. */
export type Report = (ReadRecipients & { text: string }) | NoReport;

/** Maximum recipients read per report. */
export const MAX_RECIPIENTS = 100;

/** Reason a report of successful delivery is not a bounce. */
export const DELIVERED = 'says that the email was delivered';
