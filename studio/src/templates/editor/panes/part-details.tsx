import { Link } from 'wouter';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/status';
import { UsedBy } from '../../list/used-by';
import { languageName } from '../../model/languages';
import { CONTENT_WORDS, type Draft, type Saved } from '../../model/template';
import { useMadeOf, usePartials } from '../../reading-parts';
import styles from '../../templates.module.css';

interface Props {
  draft: Draft;
  base: Saved;
}

/** Details of a translation or a partial. */
export function PartDetails({ draft, base }: Props) {
  const { original } = base;
  return (
    <div className={`${styles.detailsForm} stack`}>
      <h2 className="visually-hidden">Details</h2>
      {original ? (
        <>
          <p className="muted small">The template sets name, layout, styles and comment.</p>
          {base.type === 'email' && <p className="muted small">Without a subject, the subject of the template is used.</p>}
        </>
      ) : (
        <code className="break">{`{% include "${base.name}" %}`}</code>
      )}
      <PartLinks draft={draft} base={base} />
      <Facts
        of={[
          original ? ['Language', languageName(base.locale)] : ['Content', CONTENT_WORDS[base.contentType]],
          ['Saved', <Time key="saved" at={base.updatedAt} />],
          ['Created', original ? undefined : <Time key="created" at={base.createdAt} />],
          ['Saved by', base.author],
        ]}
      />
    </div>
  );
}

const INCLUDE = /\{%-?\s*include\s*(["'])(.*?)\1/g;

/** Links to the partials included in a text, and to the templates that use it. */
export function PartLinks({ draft, base }: Props) {
  const { data: partials = [] } = usePartials();
  const { data: using } = useMadeOf(base.id);
  const names = [...new Set(Array.from(draft.body.matchAll(INCLUDE), ([, , name]) => name))];
  const included = partials.filter(({ name }) => names.includes(name));
  return (
    <>
      {included.length > 0 && (
        <section className="stack tight">
          <h2>Includes</h2>
          <ul className={styles.usedBy}>
            {included.map(({ id, name }) => (
              <li key={id}>
                <Link href={`/partials/${id}`} className="break">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {(base.kind === 'partial' || (base.kind === 'template' && using && using.items.length > 0)) && <UsedBy using={using} />}
    </>
  );
}
