import { useState } from 'react';
import { Button } from '../../../ui/controls';
import type { Draft, Faults } from '../draft/draft';
import { LongTextField } from './body-field';
import styles from '../../email.module.css';

interface MoreFieldsProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  faults: Faults;
}

/** Headers and tags, which few mails have. */
export function MoreFields({ draft: { headers, tags }, onChange, faults }: MoreFieldsProps) {
  const [isOpen, setOpen] = useState(Boolean(headers || tags));
  if (!isOpen) {
    return (
      <span className={styles.more}>
        <Button size="small" look="plain" onClick={() => setOpen(true)}>
          Add headers or tags
        </Button>
      </span>
    );
  }
  return (
    <>
      <LongTextField
        label="Headers"
        rows={2}
        isCode
        text={headers}
        onChange={(text) => onChange({ headers: text })}
        fault={faults.headers}
        hint="One per line, for example X-Campaign: autumn."
      />
      <LongTextField
        label="Tags"
        rows={2}
        isCode
        text={tags}
        onChange={(text) => onChange({ tags: text })}
        fault={faults.tags}
        hint="One per line, for example campaign: autumn. Recipients don’t see tags."
      />
    </>
  );
}
