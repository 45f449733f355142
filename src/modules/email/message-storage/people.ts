interface Senders {
  fromAddress: string;
  fromName: string | null;
  replyToAddress: string | null;
  replyToName: string | null;
}

/** Returns the sender and recipients of a stored mail for its headers, without bcc. */
export function peopleOf<R extends { kind: string }>(
  { fromAddress, fromName, replyToAddress, replyToName }: Senders,
  recipients: readonly R[],
) {
  return {
    from: { address: fromAddress, name: fromName },
    replyTo: replyToAddress === null ? null : { address: replyToAddress, name: replyToName },
    to: recipients.filter(({ kind }) => kind === 'to'),
    cc: recipients.filter(({ kind }) => kind === 'cc'),
  };
}
