import { Tabs } from '@base-ui/react/tabs';
import { useDescription } from '../api/api-context';
import { missingEntry, type Right } from '../api/scope';
import { Snippet } from '../ui/copy';
import { curl } from '../ui/sample';

/** Returns the steps that a key may take. */
export const stepsOf = (scope: readonly string[]) => STEPS.filter(({ right }) => missingEntry(scope, right) === undefined);

/** Commands for a tenant without data, with the URL and the key of this page. */
export function FirstSteps() {
  const { scope, prefix } = useDescription();
  const steps = stepsOf(scope);
  return (
    <section aria-labelledby="first-steps" className="card stack">
      <div>
        <h2 id="first-steps">First steps</h2>
        <p className="muted small">
          Set <code>KEY</code> to the key that begins with <code>{prefix}</code>, then run a request.
        </p>
      </div>
      <Tabs.Root defaultValue="curl">
        <Tabs.List className="tabs" aria-label="Language">
          <Tabs.Tab value="curl" className="tab">
            curl
          </Tabs.Tab>
          <Tabs.Tab value="client" className="tab">
            JavaScript
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="curl" className="tab-panel stack">
          {steps.map(({ title, curl: command }) => (
            <div key={title} className="stack tight">
              <h3>{title}</h3>
              <Snippet label={`${title} with curl`} code={command()} />
            </div>
          ))}
        </Tabs.Panel>
        <Tabs.Panel value="client" className="tab-panel stack">
          <Snippet label="the client" code={CLIENT(location.origin)} />
          {steps.map(({ title, client }) => (
            <div key={title} className="stack tight">
              <h3>{title}</h3>
              <Snippet label={`${title} in JavaScript`} code={client} />
            </div>
          ))}
        </Tabs.Panel>
      </Tabs.Root>
    </section>
  );
}

const CLIENT = (origin: string) => `import { createClient } from '@platform-services/client';

const platform = createClient({ url: '${origin}', key: process.env.KEY });`;

const STEPS: readonly { title: string; right: Right; curl: () => string; client: string }[] = [
  {
    title: 'Create a file and get its upload URL',
    right: ['file-management', 'mutation', 'createFile'],
    curl: () => curl('file-management', 'mutation { createFile(input: { name: "hello.txt" }) { id uploadUrl } }'),
    client: `await platform.files.upload(Buffer.from('Hello'), { name: 'hello.txt' });`,
  },
  {
    title: 'Render a template',
    right: ['document-rendering', 'query', 'preview'],
    curl: () =>
      curl(
        'document-rendering',
        '{ preview(input: { template: { type: document, contentType: html, body: "<h1>Hello {{ name }}</h1>" }, params: "{}" }) { body } }',
      ),
    client: `await platform.rendering.preview({
  input: { template: { type: 'document', contentType: 'html', body: '<h1>Hello {{ name }}</h1>' }, params: '{"name": "Ann"}' },
});`,
  },
  {
    title: 'Send a message',
    right: ['websockets-manager', 'mutation', 'pushMessage'],
    curl: () =>
      curl(
        'websockets-manager',
        'mutation { pushMessage(input: { recipients: ["ann"], message: "Hello" }) { item { status } } }',
      ),
    client: `await platform.push.pushMessage({ input: { recipients: ['ann'], message: 'Hello' } });`,
  },
  {
    title: 'Record a change',
    right: ['document-log', 'mutation', 'createLog'],
    curl: () =>
      curl(
        'document-log',
        'mutation { createLog(input: { documentType: "invoice", documentId: "17", dateTime: "2026-01-01", action: "create" }) { itemId } }',
      ),
    client: `await platform.log.createLog({
  input: { documentType: 'invoice', documentId: '17', dateTime: new Date().toISOString(), action: 'create' },
});`,
  },
  {
    title: 'Send an email',
    right: ['email', 'mutation', 'sendMessage'],
    curl: () =>
      curl(
        'email',
        'mutation { sendMessage(input: { to: [{ address: "ann@example.com" }], subject: "Hello", textBody: "Hello" }) { id } }',
      ),
    client: `await platform.email.sendMessage({ input: { to: [{ address: 'ann@example.com' }], subject: 'Hello', textBody: 'Hello' } });`,
  },
];
