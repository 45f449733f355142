import { type ComponentProps, useId, useState } from 'react';
import { TextField } from '../../../ui/controls';
import { canonical, COMMON, languageName } from '../../model/languages';
import type { Saved } from '../../model/template';
import type { Preview, Reader } from '../work/use-preview';
import styles from '../../templates.module.css';

const ZONES = Intl.supportedValuesOf('timeZone');

/** Field for a language tag, with common ones. */
export function LanguageField({ offered = COMMON, ...rest }: ComponentProps<typeof TextField> & { offered?: readonly string[] }) {
  const id = useId();
  return (
    <>
      <TextField list={id} {...rest} />
      <datalist id={id}>
        {offered.map((tag) => (
          <option key={tag} value={tag} label={languageName(tag)} />
        ))}
      </datalist>
    </>
  );
}

interface BarProps {
  base: Saved;
  reader: Reader;
  onReader: (reader: Reader) => void;
  preview: Preview;
}

/** Language and time zone of the preview, and the texts that it used. */
export function ReaderBar({ base, reader, onReader, preview: { found, faultOfReader } }: BarProps) {
  const [typed, setTyped] = useState(reader);
  const zones = useId();
  const own = base.original ?? base;
  const tags = [own.locale, ...own.translations.map(({ locale }) => locale)];
  /** An incomplete tag or zone is not sent. */
  const change = (next: Reader) => {
    setTyped(next);
    const locale = next.locale.trim() ? canonical(next.locale) : '';
    const isZone = next.timeZone === '' || ZONES.includes(next.timeZone) || next.timeZone === 'UTC';
    if (locale !== undefined && isZone) onReader({ locale, timeZone: next.timeZone });
  };
  return (
    <div className={styles.reader}>
      <LanguageField
        label="Preview language"
        placeholder={base.kind === 'partial' ? 'English' : base.locale}
        value={typed.locale}
        offered={[...new Set([...tags.filter(Boolean), ...COMMON])]}
        onChange={(locale) => change({ ...typed, locale })}
      />
      <TextField
        label="Time zone"
        placeholder="UTC"
        list={zones}
        value={typed.timeZone}
        onChange={(timeZone) => change({ ...typed, timeZone })}
      />
      <datalist id={zones}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {base.kind !== 'partial' && (
        <div className={`small ${styles.readerNote}`} role="status">
          {faultOfReader ? (
            <span className="fault">{faultOfReader}</span>
          ) : (
            <Taken locale={found.texts.locale} asked={reader.locale} isTranslated={found.isTranslated} unused={found.unused} />
          )}
        </div>
      )}
    </div>
  );
}

interface TakenProps {
  locale: string;
  asked: string;
  isTranslated: boolean;
  unused: readonly string[];
}

function Taken({ locale, asked, isTranslated, unused }: TakenProps) {
  const shown = languageName(locale);
  return (
    <>
      <span className="muted">
        {isTranslated ? `Showing ${shown}.` : `No translation for ${languageName(asked)}. Showing ${shown}.`}
      </span>
      {unused.length > 0 && <span>{` Not used in this translation: ${unused.join(', ')}`}</span>}
    </>
  );
}
