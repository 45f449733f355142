import { plural } from '../../ui/format';
import { TokenField, WORDS } from '../../ui/token-field';
import { useOnlineNames } from '../parts/recipient-search';

export const MOST_RECIPIENTS = 1_000;

interface Props {
  value: readonly string[];
  onChange: (recipients: readonly string[]) => void;
  fault: string | undefined;
  /** Whether it has the initial focus. */
  isFirst: boolean;
}

/** Names of recipients: typed, pasted, or chosen from those online. */
export function RecipientsField({ value, ...rest }: Props) {
  const known = useOnlineNames();
  const count = value.length > 0 ? `${plural(value.length, 'recipient')}. ` : '';
  return (
    <TokenField
      label="Recipients"
      hint={`${count}Press Enter after each recipient, or paste one per line.`}
      placeholder="ann"
      tokens={WORDS}
      known={known}
      aside={() => 'online'}
      value={value}
      {...rest}
    />
  );
}
