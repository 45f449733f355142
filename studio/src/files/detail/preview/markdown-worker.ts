import { marked } from 'marked';

// Renders Markdown in a worker, which the page can stop: some texts take seconds. Returns null if it overflows the parser.
addEventListener('message', ({ data }: MessageEvent<string>) => {
  let html: string | null = null;
  try {
    html = marked.parse(data, { async: false, gfm: true });
  } catch {
    // The page shows the text as it is.
  }
  postMessage(html);
});
