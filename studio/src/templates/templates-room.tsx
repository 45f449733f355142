import './templates.css';
import { Route, Switch } from 'wouter';
import { TemplatePage } from './editor/template-page';
import { StylesheetsPage } from './list/stylesheets-page';
import { TemplatesPage } from './list/templates-page';

/** Templates of mails and documents, and the stylesheets that they share. */
export function TemplatesRoom() {
  return (
    <Switch>
      <Route path="/">
        <TemplatesPage />
      </Route>
      <Route path="/stylesheets/:id?">{({ id }) => <StylesheetsPage {...(id && { id })} />}</Route>
      <Route path="/:id">{({ id }) => <TemplatePage id={id} />}</Route>
    </Switch>
  );
}
