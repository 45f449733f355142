import { SERVICES } from '../../auth/scopes.js';
import { CONSOLE_EXAMPLES } from './console-examples.js';

/**
 * Extends GraphiQL. The key is kept for the session of the tab, never longer, and shared with the consoles in other tabs. It is
 * not a cookie, so no other site can send a request with it.
 */
const SCRIPT = `
(() => {
  const service = location.pathname.split('/').at(-2);
  const { title, query } = EXAMPLES[service];
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
      location.reload(); // so that the schema goes too
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

  async function fetcher(operation, { headers } = {}) {
    if (!key && operation.operationName === 'IntrospectionQuery') {
      await new Promise((resolve) => (waiting = resolve));
      waiting = undefined;
    }
    const response = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }), ...headers },
      body: JSON.stringify(operation),
    });
    return response.json();
  }

  // Tabs and history, which all consoles of an origin would otherwise share.
  const own = (name) => service + ':' + name;
  const storage = {
    getItem: (name) => localStorage.getItem(own(name)),
    setItem: (name, value) => localStorage.setItem(own(name), value),
    removeItem: (name) => localStorage.removeItem(own(name)),
    clear: () => Object.keys(localStorage).filter((name) => name.startsWith(own(''))).forEach((name) => localStorage.removeItem(name)),
    get length() {
      return Object.keys(localStorage).filter((name) => name.startsWith(own(''))).length;
    },
  };
  // The query edited last. Without it GraphiQL adds an empty tab at the next visit.
  if (!storage.getItem('graphiql:query')) storage.setItem('graphiql:query', query);
  // Replaces the handler that writes the typed query into the address of the page.
  const onEditQuery = () => undefined;
  // A query that Studio left for this tab, or that a link brings. It leaves the address, which the browser keeps in its history.
  const search = new URLSearchParams(location.search);
  const given = JSON.parse(sessionStorage.getItem('platform-services-query')) ?? Object.fromEntries(search);
  sessionStorage.removeItem('platform-services-query');
  if (search.size) history.replaceState({}, '', location.pathname);
  globalThis.startConsole = (root, options) =>
    YogaGraphiQL.renderYogaGraphiQL(root, {
      ...options,
      title,
      query: given.query,
      variables: given.variables,
      ...(given.variables && { defaultEditorToolsVisibility: 'variables' }),
      defaultQuery: query,
      fetcher,
      storage,
      onEditQuery,
      plugins: undefined, // GraphiQL's own: the documentation and the history
    });
})();
`;

const STYLE = `
body { display: flex; flex-direction: column; height: 100vh; margin: 0; }
#root { flex: 1; min-height: 0; height: auto; }
#access { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; padding: 8px 16px; font: 14px/1.4 system-ui, sans-serif;
  color: #3b4b68; background: #eef0f5; }
#access input { width: 30em; max-width: 60vw; padding: 4px 8px; font: inherit; border: 1px solid #8a94a8; border-radius: 4px; }
#access nav { display: flex; flex-wrap: wrap; gap: 4px 12px; margin-left: auto; }
#access a { color: inherit; }
`;

const LINKS = SERVICES.map((service) => `<a href="../${service}/graphql">${CONSOLE_EXAMPLES[service].title}</a>`).join(' ');

/** Precedes GraphiQL, and defines the `startConsole` that starts it. */
export const CONSOLE_HEADER = `<style>${STYLE}</style>
<header id="access">
  <label>Service access key <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="psk_…"></label>
  <button id="forget" type="button">Forget</button>
  <span>Enter a key, and the schema loads by itself. The key is forgotten when the browser session ends.</span>
  <nav>${LINKS}</nav>
</header>
<script>const EXAMPLES = ${JSON.stringify(CONSOLE_EXAMPLES).replaceAll('<', String.raw`\u003c`)};${SCRIPT}</script>`;
