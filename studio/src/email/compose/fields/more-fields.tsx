import { PlusIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Button } from '../../../ui/controls';
import { TextAreaField } from '../../../ui/fields';
import { TokenField, wordsBy } from '../../../ui/token-field';
import type { Draft, Faults } from '../draft/draft';
import { faultOfPairs } from '../draft/pairs';
import styles from '../../email.module.css';

interface MoreFieldsProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  faults: Faults;
}

const TAGS = wordsBy(/\n+/, { hasCommas: true });

/** Headers and tags, which few mails have. */
export function MoreFields({ draft: { headers, tags }, onChange, faults }: MoreFieldsProps) {
  const [isOpen, setOpen] = useState(Boolean(headers || tags));
  if (!isOpen) {
    return (
      <span className={styles.more}>
        <Button size="small" look="plain" onClick={() => setOpen(true)}>
          <PlusIcon aria-hidden />
          Add headers or tags
        </Button>
      </span>
    );
  }
  return (
    <>
      <TextAreaField
        label="Headers"
        className="mono"
        rows={2}
        spellCheck={false}
        value={headers}
        onChange={(text) => onChange({ headers: text })}
        fault={faults.headers}
        hint="One per line, for example X-Campaign: autumn."
      />
      <TokenField
        label="Tags"
        hint="Press Enter after each tag, for example campaign: autumn. Recipients don’t see tags."
        fault={faultOfPairs(tags) ? undefined : faults.tags}
        tokens={TAGS}
        faultOf={faultOfPairs}
        value={tags ? tags.split('\n') : []}
        onChange={(next) => onChange({ tags: next.join('\n') })}
      />
    </>
  );
}
