import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SuppressionReason } from '../../../../clients/js/src/generated/email';
import { useApi } from '../../api/api-context';
import { fromField } from '../../ui/local-time';
import { capital } from '../words';
import { useReadAgain } from './use-suppressions';

/** Values of the dialog. */
export interface SuppressionDraft {
  /** Addresses, one per line. */
  text: string;
  reason: SuppressionReason;
  /** Empty for all mails. */
  list: string;
  /** In the format of the browser's field; empty for never. */
  end: string;
}

/** A refused line, with the invalid field. */
export interface Refusal {
  line: string;
  field: string;
  reason: string;
}

/** Adds the addresses of a draft; returns refused ones, and the number of others. */
export function useAdding({ text, reason, list, end }: SuppressionDraft, onAdded: (refused: Refusal[], added: number) => void) {
  const { email } = useApi();
  const readAgain = useReadAgain();
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const [added, setAdded] = useState(0);
  const lines = linesOf(text);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const common = { reason, list: list || null, expiresAt: fromField(end) ?? null };
      const input = lines.map((address) => ({ address, ...common }));
      const results = await email.createSuppressions({ input }, { error: { field: true, message: true } });
      return results.flatMap((result, at) => (result.error ? [refusalOf(lines[at]!, result.error)] : []));
    },
    onSuccess: async (refusals) => {
      const now = added + lines.length - refusals.length;
      setAdded(now);
      setRefused(refusals);
      onAdded(refusals, now);
      await readAgain();
    },
  });
  return { add: () => mutate(), error, isPending, lines, refused, added };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** The error of one address has its path, such as `input.3.address`. */
function refusalOf(line: string, { field, message }: { field: string | null; message: string | null }): Refusal {
  const said = message ?? '';
  const bare = field && said.startsWith(`${field}: `) ? said.slice(field.length + 2) : said;
  return { line, field: field?.split('.').at(-1) ?? '', reason: capital(bare) };
}
