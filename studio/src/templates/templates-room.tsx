import { Route, Switch } from 'wouter';
import { TemplatePage } from './editor/template-page';
import { PartialsPage } from './list/partials-page';
import { StylesheetsPage } from './list/stylesheets-page';
import { TemplatesPage } from './list/templates-page';

/** Templates of mails and documents, and the partials and stylesheets that they share. */
export function TemplatesRoom() {
  return (
    <Switch>
      <Route path="/">
        <TemplatesPage />
      </Route>
      <Route path="/stylesheets/:id?">{({ id }) => <StylesheetsPage {...(id && { id })} />}</Route>
      <Route path="/partials">
        <PartialsPage />
      </Route>
      <Route path="/partials/:id">{({ id }) => <TemplatePage id={id} kind="partial" />}</Route>
      <Route path="/:id/:locale?">{({ id, locale }) => <TemplatePage id={id} {...(locale && { locale })} />}</Route>
    </Switch>
  );
}
