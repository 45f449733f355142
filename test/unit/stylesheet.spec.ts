import { inlineStyles } from '../../src/modules/document-rendering/rendering/inline-styles.js';
import { insertStyle } from '../../src/modules/document-rendering/rendering/stylesheet.js';
import { workedMs } from '../support/time.js';

const STYLE = '<style>\np{}\n</style>';
const insert = (html: string) => insertStyle(html, ['p{}']);

describe('an inserted stylesheet', () => {
  it.each([
    ['at the end of the head', '<html><head><title>a</title>|</head><body></body></html>'],
    ['whatever the case and the spaces', '<HTML><HEAD lang=x>|</HEAD ><BODY>'],
    ['before a body that ends the head unsaid', '<!doctype html><head><meta charset=utf-8>\n|<body><p></head>'],
    ['before the first thing that cannot be in a head', '<head><link href=a> |<p>b</head>'],
    ['at the end of a document that is a head', '<head><meta name=a>|'],
    ['past a comment', '<head><!-- </head> --><!-->|</head>'],
    ['past a comment that ends in --!>', '<head><!-- a --!><!--!> </head> --><!--->|</head>'],
    ['past a conditional comment', '<head><!--[if mso]></head><style>a{}</style><![endif]-->|</head>'],
    [
      'past scripts, styles and titles',
      '<head><script>"</head>"</script><style>/*</head>*/</style><title></head></title>|</head>',
    ],
    ['past attribute values', '<head><meta content="</head>"><meta content=\'</head>\'><meta a=b"c>|</head>'],
    ['past what a browser without scripts shows', '<head><noscript><link></head></noscript>|</head>'],
    ['before an element that the document does not end', '<head>|<title>a</head>'],
  ])('stands %s', (_where, marked) => {
    expect(insert(marked.replace('|', ''))).toBe(marked.replace('|', STYLE));
  });

  it.each([
    ['after the html tag', '<!DOCTYPE html>\n<html lang="a>b">|\n<body>x</body></html>'],
    ['after the doctype, which must come first', '<!-- a --><!DOCTYPE html>|<p>x'],
    ['before everything else', '|<p title="<head></head>">x'],
    ['in a header that only looks like one', '|<header>x</header>'],
    ['in plain words', '|a < b'],
    ['in nothing', '|'],
  ])('adds a head %s', (_where, marked) => {
    expect(insert(marked.replace('|', ''))).toBe(marked.replace('|', `<head>${STYLE}</head>`));
  });

  it("has the parent's text before the local rules, each as it was written", () => {
    const [parent, local] = ["a{content:'$& $` $1 {{ x }} \\0041 é'}", 'b{}/* $$ */'];
    expect(insertStyle('<head></head>', [parent, local])).toBe(`<head><style>\n${parent}\n${local}\n</style></head>`);
  });

  it('is inserted in time that grows with the document', () => {
    for (const part of ['<', '<!--', '<a ', '<meta a="', '<head><meta>', '<meta a= ', '</']) {
      expect(workedMs(() => insert(`<head>${part.repeat(1_000_000)}`))).toBeLessThan(2_000);
    }
  });
});

describe('styles inlined into attributes', () => {
  const inlined = (css: string[], body: string) =>
    inlineStyles(insertStyle(`<!DOCTYPE html><html><body>${body}</body></html>`, css));
  const head = /^<!DOCTYPE html><html>(?:<head>(?:<style>([^]*?)<\/style>)?<\/head>)<body>/;
  const styleOf = (html: string) => head.exec(html)![1] ?? '';
  const bodyOf = (html: string) => html.replace(head, '').replace('</body></html>', '');

  it.each([
    ['local rules win over the parent', ['p{color:red}', 'p{color:blue}'], '<p>a</p>', '<p style="color: blue;">a</p>'],
    [
      'a more exact selector wins over a later one',
      ['p.a{color:red}', 'p{color:blue}'],
      '<p class="a">',
      '<p class="a" style="color: red;"></p>',
    ],
    [
      '!important wins over a later rule',
      ['p{color:red!important}', 'p{color:blue}'],
      '<p>a</p>',
      '<p style="color: red;">a</p>',
    ],
    [
      '!important wins over the attribute',
      ['p{color:red!important}'],
      '<p style="color:blue">a</p>',
      '<p style="color: red;">a</p>',
    ],
    [
      'the attribute wins over a rule',
      ['p{color:red;margin:0}'],
      '<p style="color:blue">a</p>',
      '<p style="margin: 0; color: blue;">a</p>',
    ],
    ['a quote cannot end the attribute', ['p{font-family:"A b"}'], '<p>a</p>', '<p style="font-family: \'A b\';">a</p>'],
    ['variables are filled in', [':root{--a:red}p{color:var(--a)}'], '<p>a</p>', '<p style="color: red;">a</p>'],
  ])('%s', (_rule, css, body, expected) => {
    const html = inlined(css, body);
    expect(bodyOf(html)).toBe(expected);
  });

  it('leave no rule in the style element that an attribute now has', () => {
    expect(inlined(['p{color:red}'], '<p>a</p>')).toBe(
      '<!DOCTYPE html><html><head></head><body><p style="color: red;">a</p></body></html>',
    );
  });

  it.each([
    '@media (max-width: 600px) {\n  p {\n    color: green !important;\n  }\n}',
    '@font-face {\n  font-family: A;\n  src: url(https://fonts.test/a.woff2);\n}',
    '@keyframes a {\n  from {\n    color: red;\n  }\n}',
    '@supports (display: grid) {\n  p {\n    display: grid;\n  }\n}',
    '@import url("https://fonts.test/a.css");',
    'p:hover {\n  color: blue;\n}',
    'input:checked ~ p {\n  color: blue;\n}',
    'p::before {\n  content: "$&";\n}',
    '[data-ogsc] p {\n  color: white;\n}',
  ])('leave in the style element what only it can express: %s', (rule) => {
    const html = inlined([rule, 'p{color:red}'], '<input checked><p>a</p>');
    expect(styleOf(html)).toBe(rule);
    expect(bodyOf(html)).toBe('<input checked><p style="color: red;">a</p>');
  });

  it('split a rule of which only one selector can be moved', () => {
    const html = inlined(['p, a:hover { margin: 0 }'], '<p>a</p>');
    expect([styleOf(html), bodyOf(html)]).toEqual(['a:hover {\n  margin: 0;\n}', '<p style="margin: 0;">a</p>']);
  });

  it.each([
    '&lt;&amp;&nbsp;&copy;é𝒳 {{ name }} <b title="{{">b</b> <% x %> JUICE_CODE_BLOCK_0_',
    '<!--[if mso]><table><tr><td><![endif]--><!--[if !mso]><!--><i>b</i><!--<![endif]--><![if !mso]>c<![endif]>',
    '<table width="5" bgcolor="#fff"><tr><td width="5" valign="top">b</td></tr></table>',
    '<a href="https://a.test/?b=1&amp;c=&quot;" title="a &lt; b">b</a><img src="cid:a">',
    '<b style="font-family:&quot;A&quot;;color:green">b</b>',
  ])('touch nothing else: %s', (body) => {
    const html = inlined(['p{color:red}'], `<p>a</p>${body}`);
    expect(bodyOf(html)).toBe(`<p style="color: red;">a</p>${body}`);
  });

  it('do not come from a style element for other media', () => {
    const html = inlineStyles('<style media="print">p{color:red}</style><style media="screen">p{margin:0}</style><p>a</p>');
    expect(html).toBe('<style media="print">p{color:red}</style><p style="margin: 0;">a</p>');
  });

  it('make a mail of 600 px that has its layout without a style element', () => {
    const css = [
      'body{margin:0;background:#f4f4f4} .card{width:600px;background:#fff} .card td{padding:24px;font:16px/1.5 Arial,sans-serif}',
      '.button{display:inline-block;padding:12px 24px;color:#fff;background:#06c} .button:hover{background:#048}' +
        '@media (max-width:600px){.card{width:100%!important}}',
    ];
    const mail =
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">' +
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"><title>Invoice</title></head><body>' +
      '<table class="card" role="presentation" align="center" cellpadding="0"><tr><td><p>Dear Ada,</p>' +
      '<a class="button" href="https://pay.test/?a=1&amp;b=2">Pay</a></td></tr></table></body></html>';
    expect(inlineStyles(insertStyle(mail, css))).toBe(
      mail
        .replace(
          '</head><body>',
          '<style>.button:hover {\n  background: #048;\n}\n@media (max-width:600px) {\n  .card {\n    width: 100%!important;\n  }\n}' +
            '</style></head><body style="margin: 0; background: #f4f4f4;">',
        )
        .replace('cellpadding="0">', 'cellpadding="0" style="width: 600px; background: #fff;">')
        .replace('<td>', '<td style="padding: 24px; font: 16px/1.5 Arial,sans-serif;">')
        .replace('b=2">', 'b=2" style="display: inline-block; padding: 12px 24px; color: #fff; background: #06c;">'),
    );
  });
});
