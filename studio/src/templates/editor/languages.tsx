import { PlusIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { KINDS } from '../model/kinds';
import { languageName } from '../model/languages';
import type { Saved } from '../model/template';
import styles from '../templates.module.css';

/** Languages of a template, each with a page. Empty for one without translations. */
export function Languages({ base, onAdd }: { base: Saved; onAdd: () => void }) {
  const refusal = useRefusal(KINDS.translation.saveRight);
  const own = base.original ?? base;
  if (base.kind === 'partial' || own.translations.length === 0) return null;
  const pages = [own.locale, ...own.translations.map(({ locale }) => locale)].map((locale, index) => ({
    locale,
    href: index === 0 ? own.href : `${own.href}/${locale}`,
  }));
  return (
    <nav className={styles.languages} aria-label="Languages">
      {pages.map(({ locale, href }) => (
        <Link
          key={href}
          href={href}
          className={href === base.href ? 'chip active' : 'chip'}
          {...(href === base.href && { 'aria-current': 'page' as const })}
        >
          {languageName(locale)}
        </Link>
      ))}
      <Button size="small" look="plain" refusal={refusal} onClick={onAdd}>
        <PlusIcon aria-hidden />
        Add language
      </Button>
    </nav>
  );
}
