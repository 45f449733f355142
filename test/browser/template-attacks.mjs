// node test/browser/template-attacks.mjs: templates whose parameters hold attacks, rendered and opened in a real browser.
// Nothing may run. Each template is opened once more with a value written into it as it is, which must run something: so
// each row is known to be able to fail. One line for each check; exit code 1 when one failed. CHROMIUM names the browser.
import { createServer } from 'node:http';
import { check, finish, launch, WAIT_MS } from './browser.mjs';
import { compileTemplate } from '../../dist/modules/document-rendering/template-language/template.js';

const RUN = 'top.ran=1';
const LINK = `javascript:${RUN}`;
const SCRIPT = `<script>${RUN}</script>`;
const TAG = `">${SCRIPT}`;
const RAW_TEXT_END = `</title></textarea></style></xmp></noscript></script>${SCRIPT}`;

/** Values of each `{{ v }}` in turn, while every `{{ w }}` is a link that runs. */
const VALUES = [
  LINK,
  `JaVaScRiPt:${RUN}`,
  ` \t\njava\nscript\t:${RUN}`,
  `&#106;avascript:${RUN}`,
  `vbscript:${RUN}`,
  `data:text/html,${SCRIPT}`,
  TAG,
  `'><img src=x onerror=${RUN}>`,
  `-->${SCRIPT}`,
  RAW_TEXT_END,
  `"};</style><script>${RUN}</script>`,
  `");${RUN};//`,
  `");} </style><img src=x onerror=${RUN}>`,
  `x onerror=${RUN} autofocus onfocus=${RUN} tabindex=0 x=`,
  `<svg onload=${RUN}>`,
  `0;url=javascript:${RUN}`,
  RUN,
  '--',
  '/title ',
  '106',
  '',
];

/**
 * To add an attack, add a row: where the value stands; the template, with `{{ v }}` and `{{ w }}`; and the value that runs
 * where nothing guards it, unless it is `LINK`.
 */
const TEMPLATES = [
  ['text', '<p>{{ v }}</p>', SCRIPT],
  ['a quoted attribute', '<p title="{{ v }}">x</p>', TAG],
  ['an attribute in single quotes', "<p title='{{ v }}'>x</p>", `'>${SCRIPT}`],
  ['an attribute without quotes', '<img src=x alt={{ v }}>', `>${SCRIPT}`],
  ['inside a tag', '<img src=x {{ v }}>', `>${SCRIPT}`],
  ['a link', '<a href="{{ v }}">x</a>'],
  ['a link in two parts', '<a href="java{{ v }}">x</a><a href="{{ w }}">x</a>'],
  ['a link after a tab reference', '<a href="&Tab;{{ v }}">x</a>'],
  ['a link after a line feed reference', '<a href="&#10;{{ v }}">x</a>'],
  ['a link after a reference without a semicolon', '<a href="&#x9{{ v }}">x</a><a href="&#x1 {{ w }}">x</a>'],
  ['a link whose reference a value completes', `<a href="&#{{ v }};avascript:${RUN}">x</a>`, '106'],
  ['a link whose script has a reference in its scheme', '<a href="java&NewLine;script&colon;{{ v }}">x</a>'],
  ['a link in an image map', '<map name=m><area shape=default href="{{ v }}"></map><img src=x usemap=#m>'],
  ['a link in SVG', '<svg><a xlink:href="{{ v }}"><text y=9>x</text></a></svg>'],
  ['a link in MathML', '<a href="{{ v }}"><math><mi>x</mi></math></a>'],
  ['a link that SVG sets', '<svg><a><set attributeName=href to="{{ v }}"></set><text y=9>x</text></a></svg>'],
  ['a link that SVG animates', '<svg><a><animate attributeName=href values="{{ v }}"></animate><text y=9>x</text></a></svg>'],
  ['a form', '<form action="{{ v }}"><button>x</button></form>'],
  ['a button of a form', '<form><button formaction="{{ v }}">x</button></form>'],
  ['a frame in the page', '<iframe src="{{ v }}"></iframe>'],
  ['a document in the page', '<iframe srcdoc="{{ v }}"></iframe>', SCRIPT],
  ['an object', '<object data="{{ v }}"></object>', TAG],
  ['an embedded object', '<embed src="{{ v }}">', TAG],
  ['a script from an address', '<script src="{{ v }}"></script>', `data:text/javascript,${RUN}`],
  ['a script of SVG from an address', '<svg><script href="{{ v }}"></script></svg>', `data:text/javascript,${RUN}`],
  ['the base of all addresses', '<base href="{{ v }}"><script src="run.js"></script>', '/served/'],
  ['a script', '<script>{{ v }}</script>'],
  ['a text in a script', '<script>let a = "{{ v }}"</script>', RAW_TEXT_END],
  ['a script in SVG', '<svg><script>{{ v }}</script></svg>'],
  ['a script that hides a script in a comment', '<script><!-- <script> </script> {{ v }} --></script>', `--></script>${SCRIPT}`],
  ['a script after a comment in a script', '<script><!-- --></script><a href="{{ v }}">x</a>'],
  ['an event handler', '<img src=x onerror="{{ v }}">'],
  ['an event handler after a name that begins with =', '<img =" src=x onerror="{{ v }}">'],
  ['a comment', '<!-- {{ v }} --><p>x</p>', `-->${SCRIPT}`],
  ['a link after a comment that ends in --!>', '<!-- a --!><a href="{{ v }}">x</a>'],
  ['a link after <!-->', '<!--><a href="{{ v }}">x</a> -->'],
  ['a link after <!--->', '<!---><a href="{{ v }}">x</a> -->'],
  ['a link in a comment that a value ends', '<!-- {{ v }}><a href="{{ w }}">x</a> -->', '--'],
  ['a link in a comment that an empty value ends', '<!-- -{{ v }}-><a href="{{ w }}">x</a> -->', ''],
  ['a link in a conditional comment that ends early', '<!--[if mso]> --><a href="{{ v }}">x</a><![endif]-->'],
  [
    'a link after a button for Outlook',
    '<!--[if mso]><v:rect href="{{ v }}" title="{{ v }}">{{ v }}</v:rect><![endif]--><a href="{{ w }}">x</a>',
    `-->${SCRIPT}`,
  ],
  ['a link that Outlook does not show', '<!--[if !mso]><!--><a href="{{ v }}">x</a><!--<![endif]-->'],
  ['a link after a title', '<title>{{ v }}</title><a href="{{ w }}">x</a>'],
  ['a link after a title whose end a value completes', '<title>a<{{ v }}></title><a href="{{ w }}">x</a>'],
  ['a link in a title of SVG', '<svg><title><a href="{{ v }}">x</a></title></svg>'],
  ['a link in a desc of SVG', '<svg><desc><a href="{{ v }}">x</a></desc></svg>'],
  ['a link in a foreign object', '<svg><foreignObject><a href="{{ v }}">x</a></foreignObject></svg>'],
  ['a link in a style of SVG', '<svg><style><a href="{{ v }}"><text y=9>x</text></a></style></svg>'],
  ['a link in an xmp of SVG', '<svg><xmp><a href="{{ v }}"><text y=9>x</text></a></xmp></svg>'],
  ['a link in CDATA of HTML', '<![CDATA[><a href="{{ v }}">x</a>]]>'],
  ['a link after CDATA of SVG', '<svg><![CDATA[<style>]]><a href="{{ v }}"><text y=9>x</text></a></svg>'],
  ['a link in a style of MathML', '<math><style><mtext><a href="{{ v }}">x</a></mtext></style></math>'],
  [
    'a link in an annotation of MathML',
    '<math><annotation-xml encoding="text/html"><a href="{{ v }}">x</a></annotation-xml></math>',
  ],
  ['a link after an element that breaks out of SVG', '<svg><div><style></style><a href="{{ v }}">x</a>'],
  [
    'a link after a div that closes itself in a foreign object',
    '<svg><foreignObject><div/></foreignObject></svg><a href="{{ v }}">x</a>',
  ],
  ['a link after a select', '<select><xmp></select><a href="{{ v }}">x</a>', RAW_TEXT_END],
  ['a frame after a title in a frameset', '<frameset><title><frame src="{{ v }}"></title></frameset>'],
  ['a link after noscript', '<noscript><p title="</noscript><a href=\'{{ v }}\'>x</a>"></noscript>'],
  ['a link after a template', '<template><style></style></template><a href="{{ v }}">x</a>'],
  ['a link after a template whose columns ignore a frame', '<template><col><iframe></template><a href="{{ v }}">x</a>'],
  ['a link after raw text', '<xmp></xmp><noembed></noembed><noframes></noframes><iframe></iframe><a href="{{ v }}">x</a>'],
  ['a link after a textarea', '<textarea>{{ v }}</textarea><a href="{{ w }}">x</a>'],
  ['a style', '<style>p{color:{{ v }}}</style>', RAW_TEXT_END],
  ['a text in a style', '<style>p::before{content:"{{ v }}"}</style>', RAW_TEXT_END],
  ['a style attribute', '<p style="color:{{ v }}">x</p>', TAG],
  ['an address in a style attribute', '<p style="background:url(\'{{ v }}\')">x</p>', TAG],
  ['a declaration', '<!doctype {{ v }}><p>x</p>', TAG],
];

/** After the last click; what runs after a click has been queued by then. */
const SETTLE_MS = 60;
const rendered = (body, v) =>
  compileTemplate({
    type: 'document',
    contentType: 'html',
    locale: null,
    subject: null,
    css: [],
    layouts: [],
    partials: [],
    body,
  }).render({
    v,
    w: LINK,
  }).body;
const unguarded = (body, v) => body.replaceAll('{{ v }}', () => v).replaceAll('{{ w }}', LINK);

/** Nothing when the template is refused. */
function pagesOf(body, values) {
  try {
    return [...new Set(values.map((value) => rendered(body, value)))];
  } catch (error) {
    if (error.refusal?.code === 'BAD_USER_INPUT') return undefined;
    throw error;
  }
}

const pages = new Map();
const server = createServer((request, response) => {
  const script = request.url.startsWith('/served/');
  response.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html; charset=utf-8' });
  response.end(script ? RUN : (pages.get(request.url) ?? ''));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const browser = await launch();

/** Follows every link and sends every form of each frame; those that left for another origin have nothing to click. */
function clickAll() {
  for (let index = 0; index < window.length; index += 1) {
    let elements = [];
    try {
      elements = [...window[index].document.querySelectorAll('a, area, button')];
    } catch (error) {
      if (error.name !== 'SecurityError') throw error;
    }
    for (const element of elements) element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  }
}

const page = await browser.newPage();
page.on('dialog', (dialog) => dialog.dismiss());

/** Whether any of these pages runs anything; all are open at once, in frames. */
async function runs(contents) {
  pages.clear();
  contents.forEach((content, index) => pages.set(`/${index}`, content));
  pages.set('/', contents.map((_, index) => `<iframe src="/${index}"></iframe>`).join(''));
  await page.goto(`http://127.0.0.1:${server.address().port}/`, { timeout: WAIT_MS });
  if (await page.evaluate('window.ran === 1')) return true;
  await page.evaluate(clickAll);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return page.evaluate('window.ran === 1');
}

try {
  for (const [name, template, proof = LINK] of TEMPLATES) {
    check(`${name}: runs where nothing guards it`, await runs([unguarded(template, proof)]));
    const guarded = pagesOf(template, [proof, ...VALUES]);
    check(`${name}: ${guarded ? 'runs nothing' : 'is refused'}`, !guarded || !(await runs(guarded)));
  }
} finally {
  server.close();
  await browser.close();
}
finish();
