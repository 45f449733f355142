import { Link } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { useTemplate } from '../reading';
import { TemplateEditor } from './template-editor';

/** The editor of the template that the address names. */
export function TemplatePage({ id }: { id: string }) {
  const refusal = useRefusal(['document-rendering', 'query', 'templates']);
  const { data, error, refetch } = useTemplate(id);
  if (refusal) return <NoPermission what="view templates" refusal={refusal} />;
  if (data) return <TemplateEditor key={id} saved={data} />;
  if (data === null) {
    return (
      <Empty
        title="Template not found"
        action={
          <Link className="button" href="/">
            Show all templates
          </Link>
        }
      >
        <p className="muted">It may have been deleted.</p>
      </Empty>
    );
  }
  return (
    <div className="page full">
      <header className="page-head">
        <h1>Template</h1>
      </header>
      <div className="page-body">
        {error ? (
          <ErrorNotice error={error} tried="load the template" onRetry={() => void refetch()} />
        ) : (
          <Skeleton lines={10} label="Loading template" />
        )}
      </div>
    </div>
  );
}
