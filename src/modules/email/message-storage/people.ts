interface Senders {
  fromAddress: string;
  fromName: string | null;
  replyToAddress: string | null;
  replyToName: string | null;
}

/** Returns sender and recipients of a stored mail as its headers name them; bcc is in none. */
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
