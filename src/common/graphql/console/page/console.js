/* global EXAMPLES, WORKERS, YogaGraphiQL */
/* oxlint-disable unicorn/require-post-message-target-origin -- a BroadcastChannel has one origin */
// Extends GraphiQL. The key is stored for the session of the tab only, and shared with the consoles in other tabs. It is not a
// cookie, so no other site can send a request with it.
const service = location.pathname.split('/').at(-2);
const link = document.querySelector(`#access a[href="../${service}/graphql"]`);
const title = link?.textContent ?? 'Administration'; // has no link, since keys of tenants cannot open it
const example = EXAMPLES[service];
const field = document.querySelector('#key');
const others = new BroadcastChannel('platform-services-key');
let key = sessionStorage.getItem('platform-services-key') ?? '';
let waiting;
document.title = title;
field.value = key;

function use(next) {
  if (next === key) return;
  key = next;
  field.value = key;
  if (!key) {
    sessionStorage.removeItem('platform-services-key');
    location.reload(); // removes the schema too
    return;
  }
  sessionStorage.setItem('platform-services-key', key);
  if (waiting) waiting();
  else document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click();
}
function enter() {
  const entered = field.value.trim();
  others.postMessage({ key: entered });
  use(entered);
}
field.addEventListener('change', enter);
field.addEventListener('input', ({ inputType }) => inputType === 'insertFromPaste' && enter());
document.querySelector('#forget').addEventListener('click', () => {
  field.value = '';
  enter();
});
others.addEventListener('message', ({ data }) => {
  if (data.key !== undefined) use(data.key);
  else if (key) others.postMessage({ key });
});
if (!key) others.postMessage({});

// A person signed in to Studio has no key: Studio shares the tenant, and the session is in a cookie.
const accessOf = (key) => (key.startsWith('tenant:') ? { 'x-tenant-id': key.slice('tenant:'.length) } : { 'x-api-key': key });

async function fetcher(operation, { headers } = {}) {
  if (!key && operation.operationName === 'IntrospectionQuery') {
    await new Promise((resolve) => (waiting = resolve));
    waiting = undefined;
  }
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && accessOf(key)), ...headers },
    body: JSON.stringify(operation),
  });
  return response.json();
}

// Stores tabs and history under the name of the service, since all consoles of an origin share local storage.
const prefix = `${service}:`;
const ownNames = () => Object.keys(localStorage).filter((name) => name.startsWith(prefix));
const storage = {
  getItem: (name) => localStorage.getItem(prefix + name),
  setItem: (name, value) => localStorage.setItem(prefix + name, value),
  removeItem: (name) => localStorage.removeItem(prefix + name),
  clear: () => ownNames().forEach((name) => localStorage.removeItem(name)),
  get length() {
    return ownNames().length;
  },
};
// Query edited last. Without it, GraphiQL adds an empty tab at the next visit.
if (!storage.getItem('graphiql:query')) storage.setItem('graphiql:query', example);

// Query that Studio stored for this tab, or from a link. Removed from the URL, which the browser stores in its history.
const search = new URLSearchParams(location.search);
const given = JSON.parse(sessionStorage.getItem('platform-services-query')) ?? Object.fromEntries(search);
sessionStorage.removeItem('platform-services-query');
if (search.size) history.replaceState({}, '', location.pathname);

const urlOf = (script) => URL.createObjectURL(new Blob([script], { type: 'application/javascript' }));
const workerUrls = Object.fromEntries(Object.entries(WORKERS).map(([label, script]) => [label, urlOf(script)]));
globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workerUrls[label] };

globalThis.startConsole = () => {
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    title,
    query: given.query,
    variables: given.variables,
    defaultEditorToolsVisibility: given.variables ? 'variables' : false,
    shouldPersistHeaders: false,
    defaultQuery: example,
    fetcher,
    storage,
    onEditQuery: () => undefined, // replaces the library's handler, which writes the typed query into the URL
    plugins: undefined, // GraphiQL's defaults: documentation and history
  });
};
