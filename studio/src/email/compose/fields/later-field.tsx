import { ClockIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Button } from '../../../ui/controls';
import { SendAtField } from '../../send-at-field';
import styles from '../../email.module.css';

interface LaterFieldProps {
  sendAt: string;
  onChange: (sendAt: string) => void;
  fault: string | undefined;
}

/** Optional time to send the mail. */
export function LaterField({ sendAt, onChange, fault }: LaterFieldProps) {
  const [isOpen, setOpen] = useState(Boolean(sendAt));
  if (!isOpen) {
    return (
      <span className={styles.more}>
        <Button size="small" look="plain" onClick={() => setOpen(true)}>
          <ClockIcon aria-hidden />
          Send later
        </Button>
      </span>
    );
  }
  return <SendAtField value={sendAt} onChange={(at) => onChange(at ?? '')} fault={fault} ifEmpty=" Leave empty to send now." />;
}
