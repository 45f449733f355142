/** Texts of the element. Each is also an attribute, such as `text-mark-read`. `{n}` is replaced by a number. */
const TEXTS = {
  heading: 'Inbox',
  unread: '{n} unread',
  empty: 'No messages',
  markAll: 'Mark all as read',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  archive: 'Archive',
  isUnread: 'Unread',
  more: 'Show more',
  failed: 'The inbox could not be loaded',
  retry: 'Try again',
};

export type InboxTexts = typeof TEXTS;

/** Returns the text of an attribute or property, or the English one. */
export function textOf(element: Element, given: Partial<InboxTexts>, name: keyof InboxTexts): string {
  const attribute = `text-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return given[name] ?? element.getAttribute(attribute) ?? TEXTS[name];
}

/** Styles of the shadow root. Colours follow the color-scheme of the page, and each can be replaced by its variable or part. */
export const STYLES = `
:host {
  --ground: var(--platform-inbox-ground, light-dark(#fff, #16181d));
  --text: var(--platform-inbox-text, light-dark(#1b1d22, #e8eaee));
  --quiet: var(--platform-inbox-quiet, light-dark(#5b616e, #a3aab8));
  --line: var(--platform-inbox-line, light-dark(#dfe2e8, #33373f));
  --accent: var(--platform-inbox-accent, light-dark(#1d4ed8, #8fb0ff));
  display: block; color: var(--text); background: var(--ground); font: inherit;
}
:host([hidden]) { display: none; }
header { display: flex; gap: .5em; align-items: center; padding: .75em 1em; border-bottom: 1px solid var(--line); }
h2 { font-size: 1.1em; margin: 0; }
[part=badge] { color: var(--accent); font-weight: 600; margin-inline-end: auto; }
[role=feed] { max-height: var(--platform-inbox-height, 30em); overflow: auto; }
article { display: grid; gap: .25em; padding: .75em 1em; border-bottom: 1px solid var(--line); border-inline-start: 3px solid transparent; }
article[part~=unread] { border-inline-start-color: var(--accent); font-weight: 600; }
article:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
[part=text] { white-space: pre-wrap; overflow-wrap: anywhere; }
time, [part=empty], [part=fault] { color: var(--quiet); font-weight: 400; font-size: .875em; }
[part=empty], [part=fault] { padding: 1em; margin: 0; }
[part=actions] { display: flex; gap: .75em; }
button { font: inherit; font-size: .875em; font-weight: 400; color: var(--accent); background: none; border: 0; padding: .25em 0; min-block-size: 24px; cursor: pointer; }
[part=more] { padding: .75em 1em; }
.hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
