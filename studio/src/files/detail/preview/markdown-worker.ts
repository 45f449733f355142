import { marked } from 'marked';

// Writes Markdown as HTML in a thread of its own, which the page can stop: some texts take seconds. null for one that overflows the parser.
addEventListener('message', ({ data }: MessageEvent<string>) => {
  let html: string | null = null;
  try {
    html = marked.parse(data, { async: false, gfm: true });
  } catch {
    // The page shows the text as it is.
  }
  postMessage(html);
});
