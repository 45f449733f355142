import { Link, Route, Switch } from 'wouter';
import { PartialsPage } from './list/partials-page';
import { StylesheetsPage } from './list/stylesheets-page';
import { TemplatesPage } from './list/templates-page';
import { useRefusal } from '../api/api-context';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../ui/states';
import { KINDS } from './model/kinds';
import { capitalised } from './model/problems';
import { translationOf } from './model/template';
import { useTemplate } from './reading';
import { TemplateEditor } from './editor/template-editor';

/** Templates of mails and documents, and the partials and stylesheets that they share. */
export function TemplatesRoom() {
  return (
    <Switch>
      <Route path="/">
        <TemplatesPage />
      </Route>
      <Route path="/stylesheets/:id?">{({ id }) => <StylesheetsPage id={id} />}</Route>
      <Route path="/partials">
        <PartialsPage />
      </Route>
      <Route path="/partials/:id">{({ id }) => <TemplatePage id={id} kind="partial" />}</Route>
      <Route path="/:id/:locale?">{({ id, locale }) => <TemplatePage id={id} {...(locale && { locale })} />}</Route>
    </Switch>
  );
}

/** Editor for the URL: a template, a translation of it, or a partial. */
function TemplatePage({ id, locale, kind = 'template' }: { id: string; locale?: string; kind?: 'template' | 'partial' }) {
  const refusal = useRefusal(['document-rendering', 'query', `${kind}s`]);
  const { data, error, refetch } = useTemplate(id, kind);
  const saved = data && locale ? (translationOf(data, locale) ?? null) : data;
  const { word, home, list } = KINDS[locale ? 'translation' : kind];
  if (refusal) return <NoPermission what={`view ${kind}s`} refusal={refusal} />;
  if (saved) return <TemplateEditor key={saved.href} saved={saved} />;
  if (saved === null) {
    return (
      <Empty
        title={`${capitalised(word)} not found`}
        action={
          <Link className="button" href={home}>
            Show all {list.toLowerCase()}
          </Link>
        }
      >
        <p className="muted">It may have been deleted.</p>
      </Empty>
    );
  }
  return (
    <div className="page">
      <header className="page-head">
        <h1>{capitalised(word)}</h1>
      </header>
      <div className="page-body">
        {error ? (
          <ErrorNotice error={error} tried={`load the ${word}`} onRetry={() => void refetch()} />
        ) : (
          <Skeleton lines={10} label={`Loading ${word}`} />
        )}
      </div>
    </div>
  );
}
