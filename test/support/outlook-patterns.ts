/**
 * HTML of mails in the shape that button generators and builders of newsletters write for Outlook: conditional comments, VML,
 * ghost tables, hidden preheaders. `@` stands for a parameter; each pattern has one in every place where a value is useful.
 */
export const OUTLOOK_PATTERNS: readonly (readonly [name: string, html: string])[] = [
  [
    'a VML button before a link',
    `<!--[if mso]><v:roundrect href="@" arcsize="10%" fillcolor="#556270"><center>@</center></v:roundrect><![endif]--><a href="@">@</a>`,
  ],
  [
    'a VML button with every attribute given, and a link that Outlook hides',
    `<div><!--[if mso]>
  <v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="@" title="@" alt="@" style="height:@px;v-text-anchor:middle;width:@px;" arcsize="@%" strokecolor="@" fillcolor="#@">
    <w:anchorlock/>
    <center style="color:@;font-family:sans-serif;font-size:@px;font-weight:bold;">@</center>
  </v:roundrect>
<![endif]--><a href="@" style="background-color:@;border-radius:4px;color:#ffffff;display:inline-block;font-size:13px;line-height:@px;text-decoration:none;width:200px;-webkit-text-size-adjust:none;mso-hide:all;">@</a></div>`,
  ],
  [
    'a VML button with a picture behind it',
    `<!--[if mso]><v:rect xmlns:v="urn:schemas-microsoft-com:vml" href="https://shop.example/?a=@&amp;b=@" style="height:36px;width:200px;" stroke="f" fillcolor="@">
<v:fill type="tile" src="@" color="@" /><w:anchorlock/><center style="color:@">@</center></v:rect><![endif]-->
<a href="https://shop.example/?a=@&amp;b=@" style="background:#49a9ce url(@) repeat">@</a>`,
  ],
  [
    'a button whose padding Outlook takes from letter spacing',
    `<a href="@" style="background:@;text-decoration:none;padding:@px 25px;color:@;mso-padding-alt:0;"><!--[if mso]><i style="letter-spacing:@px;mso-font-width:-100%;mso-text-raise:@pt">&nbsp;</i><![endif]--><span style="mso-text-raise:15pt;">@</span><!--[if mso]><i style="letter-spacing:25px;mso-font-width:-100%" title="@">&nbsp;</i><![endif]--></a><a href="@">@</a>`,
  ],
  [
    'a button whose padding is a table',
    `<table role="presentation" align="@"><tr><td align="center" bgcolor="@" style="border-radius:@px"><a href="@" target="_blank" style="border:1px solid @;padding:12px 18px">@ &rarr;</a></td></tr></table>`,
  ],
  [
    'a background picture by VML',
    `<td background="@" bgcolor="@" width="600" valign="top"><!--[if gte mso 9]>
<v:rect xmlns:v="urn:schemas-microsoft-com:vml" fill="true" stroke="false" style="width:@px;height:92px;"><v:fill type="frame" src="@" o:href="@" color="@" /><v:textbox inset="0,0,0,0"><![endif]-->
<div><a href="@">@</a></div><!--[if gte mso 9]></v:textbox></v:rect><![endif]--></td><p title="@"><a href="@">@</a>`,
  ],
  [
    'a picture by VML and one for the others',
    `<!--[if gte vml 1]><v:shape style="width:100px" alt="@" href="@"><v:imagedata src="@" o:title="@" o:althref="@"/></v:shape><![endif]--><![if !vml]><img src="@" alt="@"><![endif]><a href="@">@</a>`,
  ],
  [
    'ghost tables around two columns',
    `<!--[if mso | IE]><table role="presentation" align="center" bgcolor="@" style="width:@px;" width="@"><tr><td style="vertical-align:top;width:300px;" title="@"><![endif]--><div style="max-width:@px"><a href="@">@</a></div><!--[if mso | IE]></td><td width="@"><![endif]--><div><img src="@" alt="@"></div><!--[if mso | IE]></td></tr></table><![endif]--><a href="@">@</a>`,
  ],
  [
    'a part that Outlook does not show, revealed by a comment in a comment',
    `<!--[if !mso]><!--><a href="@" style="color:@">@</a><!--<![endif]--><!--[if mso]><a href="@">@</a><![endif]--><a href="@">@</a>`,
  ],
  [
    'a part that Outlook does not show, revealed by the end of a comment',
    `<!--[if !mso]>--><a href="@">@</a><!--<![endif]--><a href="@">@</a>`,
  ],
  [
    'a part that Outlook does not show, revealed by dashes and a bracket',
    `<!--[if !mso]> --><a href="@">@</a><!-- <![endif]--><!--[if !(mso)]><!-- --><img src="@"><!-- <![endif]--><a href="@">@</a>`,
  ],
  [
    'a part that Outlook does not show, without comments',
    `<![if !mso]><a href="@">@</a><![endif]><!--[if lt mso 12]>@<![endif]--><a href="@">@</a>`,
  ],
  [
    'a hidden preheader filled up with blanks',
    `<div style="display:none;max-height:0px;overflow:hidden;mso-hide:all">@${'&nbsp;&zwnj;'.repeat(30)}</div><!--[if mso]><p>@</p><![endif]--><a href="@">@</a>`,
  ],
  [
    'a head with settings, styles and fonts for Outlook',
    `<!doctype html><html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head><title>@</title><!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>@</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<!--[if mso]><noscript><xml><w:WordDocument><w:DontUseAdvancedTypographyReadingMail/></w:WordDocument></xml></noscript><style>td,p{font-family:@,sans-serif;color:@}</style><![endif]-->
<!--[if !mso]><!--><style>a{color:@}</style><!--<![endif]--></head><body style="background:@"><a href="@">@</a></body></html>`,
  ],
  [
    'a heading for each of two programs inside a link',
    `<a href="@"><!--[if mso]><b title='@'>@</b><![endif]--><!--[if !mso]><!--><i title='@'>@</i><!--<![endif]--></a><img src="@">`,
  ],
];

/** Returns the pattern as a template with the parameters p0, p1 and so on, and their number. */
export function templateOf(html: string): { body: string; count: number } {
  let count = 0;
  const body = html.replaceAll('@', () => `{{ p${count++} }}`);
  return { body, count };
}
