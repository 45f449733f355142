import { fromField, toField } from '../ui/zone';
import styles from './email.module.css';
import { TimeField } from '../ui/fields';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface SendAtFieldProps {
  /** In UTC; undefined while none is chosen. */
  value: string | undefined;
  onChange: (sendAt: string | undefined) => void;
  fault: string | undefined;
  /** Effect of leaving it empty. */
  ifEmpty?: string;
}

/** Time to send a mail, in the time zone of the writer. */
export function SendAtField({ value, onChange, fault, ifEmpty = '' }: SendAtFieldProps) {
  return (
    <TimeField
      label="Send at"
      className={styles.sendAt}
      hint={`Up to 30 days ahead, in your time zone (${ZONE}).${ifEmpty}`}
      fault={fault}
      value={toField(value, 'minute')}
      onChange={(local) => onChange(fromField(local))}
    />
  );
}
